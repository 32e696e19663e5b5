/**
 * Whether any work is in progress. Tests wait for `<html data-idle="true">` instead of sleeping. It becomes true only
 * after two frames without work, because one piece of work often starts the next in an effect.
 */
const reasons = new Set<string>();
let frames = 0;

function settle(): void {
  frames = requestAnimationFrame(() => {
    frames = requestAnimationFrame(() => {
      frames = 0;
      document.documentElement.dataset.idle = String(reasons.size === 0);
    });
  });
}

export function setBusy(reason: string, busy: boolean): void {
  if (busy) reasons.add(reason);
  else reasons.delete(reason);
  if (frames) cancelAnimationFrame(frames);
  frames = 0;
  if (reasons.size === 0) settle();
  else document.documentElement.dataset.idle = "false";
}
