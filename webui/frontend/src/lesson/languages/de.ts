/** Die Seiten der Lektionen auf Deutsch. */
export const GERMAN: Record<string, string> = {};
