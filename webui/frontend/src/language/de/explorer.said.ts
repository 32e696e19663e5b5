/** Was der Server und die Aufzeichnung im Explorer sagen, auf Deutsch. */
export const SAID_IN_EXPLORER: Record<string, string> = {};
