/** Der Explorer auf Deutsch, und was alle Seiten gemeinsam haben. */
export const EXPLORER: Record<string, string> = {
  // Was alle Seiten haben
  Language: "Sprache",
  Close: "Schließen",
  "Keys (?)": "Tasten (?)",
  "Theme (d)": "Farben (d)",
  "Light theme": "Helle Farben",
  "Dark theme": "Dunkle Farben",
};
