// Makes and uses passkeys: `<form data-passkey="register">` and `<form data-passkey="sign-in">`. The options are at the form's
// action with "/options" after it. What the authenticator signed goes into the form's field "response", and the form is sent as
// forms are.

import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from "@simplewebauthn/browser";

type Ceremony = (form: HTMLFormElement) => Promise<object>;

const ceremonies: Readonly<Record<string, Ceremony>> = {
  register: async (form) => startRegistration({ optionsJSON: await optionsOf(form) }),
  "sign-in": async (form) => startAuthentication({ optionsJSON: await optionsOf(form) }),
};

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-passkey]")) {
  const ceremony = ceremonies[form.dataset.passkey ?? ""];
  const button = form.querySelector("button");
  if (ceremony === undefined || button === null || !browserSupportsWebAuthn()) continue;
  form.hidden = false;
  button.disabled = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    button.disabled = true;
    showFault(form, null);
    void finish(form, () => ceremony(form)).catch((fault: unknown) => {
      button.disabled = false;
      showFault(form, textOf(fault));
    });
  });
  if (form.hasAttribute("data-suggest")) void offerByAutofill(form);
}

/** Where the browser can, its passkeys are among the suggestions of the page's first field. */
async function offerByAutofill(form: HTMLFormElement): Promise<void> {
  if (!(await browserSupportsWebAuthnAutofill())) return;
  await finish(
    form,
    async () =>
      startAuthentication({
        optionsJSON: await optionsOf(form),
        useBrowserAutofill: true,
      }),
    // Nobody asked for it: whoever signs in another way, or presses the button, ends it.
  ).catch(() => {});
}

async function finish(form: HTMLFormElement, ceremony: () => Promise<object>): Promise<void> {
  const response = JSON.stringify(await ceremony());
  const field = form.elements.namedItem("response");
  if (!(field instanceof HTMLInputElement)) throw new TypeError("The form has no field for the response.");
  field.value = response;
  form.submit();
}

async function optionsOf<Options>(form: HTMLFormElement): Promise<Options> {
  const answer = await fetch(`${form.getAttribute("action")}/options`, { method: "POST" });
  if (answer.redirected || answer.status === 403) {
    location.assign(`/sign-in?again=1&to=${encodeURIComponent(location.pathname)}`);
  }
  if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
  return await answer.json();
}

function showFault(form: HTMLFormElement, text: string | null): void {
  const place = form.querySelector<HTMLElement>("[data-fault]");
  if (place === null) return;
  place.hidden = text === null;
  place.textContent = text;
}

function textOf(fault: unknown): string {
  if (fault instanceof WebAuthnError && fault.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED") {
    return "This device has a passkey of this account already.";
  }
  if (fault instanceof Error && fault.name === "NotAllowedError") {
    return "Nothing was done: it was cancelled, or it took too long.";
  }
  return `It did not work: ${fault instanceof Error ? fault.message : "unknown cause"}`;
}
