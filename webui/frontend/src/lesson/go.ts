/** Scrolls to a cell and puts the cursor into it. */
export function goToCell(key: string): void {
  const cell = document.querySelector(`[data-cell="${CSS.escape(key)}"]`);
  cell?.scrollIntoView({ block: "center" });
  cell?.querySelector<HTMLElement>(".cm-content")?.focus({ preventScroll: true });
}
