/** Was der Richter und die Python einer Lektion sagen, auf Deutsch. Ein Platzhalter nimmt auf, was im Satz wechselt. */
export const SAID_IN_LESSON: Record<string, string> = {
  // Was falsch ist
  "{words}; {some} of {all} elements differ": "{words}; {some} von {all} Elementen weichen ab",
  "{words}, at {place}": "{words}, an der Stelle {place}",
  "the shape is {found} and should be {wanted}": "die Form ist {found} und muss {wanted} sein",
  "there is {found} value and there should be {wanted}": "da ist {found} Wert, und es müssen {wanted} sein",
  "there are {found} values and there should be {wanted}": "da sind {found} Werte, und es müssen {wanted} sein",
  "the key {key} is missing": "der Schlüssel {key} fehlt",
  "the key {key} should not be there": "der Schlüssel {key} gehört nicht dazu",
  "there is nothing (None)": "da ist nichts (None)",
  "the values are right, but they stand in another order": "die Werte stimmen, aber sie stehen in anderer Reihenfolge",
  "all of it differs by its sign": "alles weicht im Vorzeichen ab",
  "all of it is {times} times as large as it should be": "alles ist {times}-mal so groß, wie es sein muss",
  "all of it is {times} times as small as it should be": "alles ist nur 1/{times} so groß, wie es sein muss",
  "{found} differs from {wanted} by its sign": "{found} weicht von {wanted} im Vorzeichen ab",
  "{found} is too much": "{found} ist zu viel",
  "{found} is too little": "{found} ist zu wenig",
  "{share} of them are right": "{share} davon stimmen",
  "this is {found}, not {wanted}": "das ist {found}, nicht {wanted}",
  "{found} instead of {wanted}": "{found} statt {wanted}",
  "it prints its result and gives nothing back; `return` gives a value back, `print` only shows it":
    "es gibt sein Ergebnis nur aus und nichts zurück; `return` gibt einen Wert zurück, `print` zeigt ihn nur",
  "it gives nothing back (None): is there a `return`?": "es gibt nichts zurück (None): Steht da ein `return`?",
  "the check got nothing (None) where it needs a value: is a `return` missing, or did no gradient arrive?":
    "die Prüfung bekam nichts (None), wo sie einen Wert braucht: Fehlt ein `return`, oder kam kein Gradient an?",
  "it ended with {error}": "es endete mit {error}",
  "the answer is not written yet: `...` still stands in it":
    "die Antwort ist noch nicht geschrieben: Es steht noch `...` darin",
  // Was etwas ist
  "nothing (None)": "nichts (None)",
  "a number": "eine Zahl",
  "a text": "ein Text",
  "a dictionary": "ein Wörterbuch",
  "True or False": "True oder False",
  "a list of {count}": "eine Liste mit {count}",
  "a tuple of {count}": "ein Tupel mit {count}",
  "a set of {count}": "eine Menge mit {count}",
  "an empty list": "eine leere Liste",
  "an empty tuple": "ein leeres Tupel",
  "an empty set": "eine leere Menge",
  "a tensor of shape {shape}": "ein Tensor der Form {shape}",
  "the function {name}": "die Funktion {name}",
  // Warum etwas endete
  "Stopped.": "Angehalten.",
  "Stopped after {count} seconds, the longest a cell may run. Does a loop never end?{more}":
    "Nach {count} Sekunden angehalten, länger darf eine Zelle nicht laufen. Endet eine Schleife nie?{more}",
  "Stopped because it printed more than {count} characters. Does a loop never end?{more}":
    "Angehalten, weil es mehr als {count} Zeichen ausgegeben hat. Endet eine Schleife nie?{more}",
  "Stopped because it used more than {count} MB of memory, all its processes together.{more}":
    "Angehalten, weil alle seine Prozesse zusammen mehr als {count} MB Speicher brauchten.{more}",
  " What the cells had defined is gone: run from the top.":
    " Was die Zellen definiert hatten, ist fort: Führe sie von oben aus.",
};
