/** Whether anything is under way. Tests wait for `<html data-idle="true">` and never sleep. */
const reasons = new Set<string>();

function tell(): void {
  document.documentElement.dataset.idle = String(reasons.size === 0);
}

export function setBusy(reason: string, busy: boolean): void {
  if (busy) reasons.add(reason);
  else reasons.delete(reason);
  tell();
}
