// The style of the pages of workspaces, beside that of all pages.

export const workspaceStyle = `
.crumbs { margin: 0 0 .75rem; font-size: .9375rem }
.source { counter-reset: line; padding: .5rem 0 } .source span { display: block; padding-right: .75rem; min-height: 1.5em }
.source span::before { counter-increment: line; content: counter(line); display: inline-block; width: 4.5ch; margin-right: 1.5ch; text-align: right; color: var(--faint); user-select: none }
.source span:target { background: light-dark(#fff8c5, #3a2f00) }
textarea.code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; overflow-x: auto }
fieldset.card { border: 1px solid var(--line); padding: .75rem 1rem } fieldset.card legend { padding: 0 .35rem }
.changes pre { max-height: 40rem; overflow: auto; margin: .35rem 0 }
`;
