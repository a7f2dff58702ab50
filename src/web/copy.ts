// A button that copies what stands beside it: `<button data-copy="id">`. Without a clipboard it is not shown.

const SHOWN_MS = 2_000;

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
  if (navigator.clipboard === undefined) continue;
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy ?? "")?.textContent ?? "";
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = label;
    }, SHOWN_MS);
  });
}
