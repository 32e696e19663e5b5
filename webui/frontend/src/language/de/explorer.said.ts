/** Was der Server, die Aufzeichnung und die Diagnose im Explorer sagen, auf Deutsch. */
export const SAID_IN_EXPLORER: Record<string, string> = {
  "{sentence} In step {step}.": "{sentence} In Schritt {step}.",
  // Das erste NaN
  "{op} made {found} of finite numbers.{why}": "{op} machte {found} aus endlichen Zahlen.{why}",
  "{op} made {found} of infinities.{why}": "{op} machte {found} aus Unendlichkeiten.{why}",
  "The backward of {op} made {found} for its input {name}, of finite gradients.{why}":
    "Das backward von {op} machte {found} für seine Eingabe {name}, aus endlichen Gradienten.{why}",
  "{name} came with {count} NaN among its {all} numbers, and {op} used it: the loss is not a number.":
    "{name} kam mit {count} NaN unter seinen {all} Zahlen, und {op} benutzte es: Der Verlust ist keine Zahl.",
  " {some} of its {all} inputs are negative, down to {least}; {whose} is not a number.":
    " {some} seiner {all} Eingaben sind negativ, bis zu {least}; {whose} ist keine Zahl.",
  " {some} of its {all} inputs are below {edge}, down to {least}; {whose} is not a number.":
    " {some} seiner {all} Eingaben liegen unter {edge}, bis zu {least}; {whose} ist keine Zahl.",
  " Its input is negative, down to {least}; {whose} is not a number.":
    " Seine Eingabe ist negativ, {least}; {whose} ist keine Zahl.",
  " Its input is below {edge}, down to {least}; {whose} is not a number.":
    " Seine Eingabe liegt unter {edge}, bei {least}; {whose} ist keine Zahl.",
  "the logarithm of a negative number": "der Logarithmus einer negativen Zahl",
  "the square root of a negative number": "die Wurzel einer negativen Zahl",
  " {some} of its {all} inputs are {edge}; the logarithm of 0 is minus infinity.":
    " {some} seiner {all} Eingaben sind {edge}; der Logarithmus von 0 ist minus unendlich.",
  " Its input is {edge}; the logarithm of 0 is minus infinity.":
    " Seine Eingabe ist {edge}; der Logarithmus von 0 ist minus unendlich.",
  " {some} of its {all} divisors are 0; nothing can be divided by 0.":
    " {some} seiner {all} Divisoren sind 0; durch 0 lässt sich nichts teilen.",
  " Its divisor is 0; nothing can be divided by 0.": " Sein Divisor ist 0; durch 0 lässt sich nichts teilen.",
  " {some} of its {all} inputs are infinite; ∞ - ∞ and 0 · ∞ are not numbers.":
    " {some} seiner {all} Eingaben sind unendlich; ∞ - ∞ und 0 · ∞ sind keine Zahlen.",
  " Its input is infinite; ∞ - ∞ and 0 · ∞ are not numbers.":
    " Seine Eingabe ist unendlich; ∞ - ∞ und 0 · ∞ sind keine Zahlen.",
  " {some} of its {all} inputs lie outside of -1 to 1.": " {some} seiner {all} Eingaben liegen außerhalb von -1 bis 1.",
  " Its inputs reach {most}, and {dtype} ends before that of it.":
    " Seine Eingaben reichen bis {most}, und {dtype} endet vor dem Ergebnis davon.",
  " It has one input; the spread of a single number is not a number, unless with correction=0.":
    " Es hat eine Eingabe; die Streuung einer einzigen Zahl ist keine Zahl, außer mit correction=0.",
  " float16 ends at 65,504.": " float16 endet bei 65\u202f504.",
  " The slope of the square root is infinite at 0; add a small number before it.":
    " Die Steigung der Wurzel ist bei 0 unendlich; addiere vorher eine kleine Zahl.",
  " The slope of 1/√x is infinite at 0; add a small number before it.":
    " Die Steigung von 1/√x ist bei 0 unendlich; addiere vorher eine kleine Zahl.",
  " The slope of a norm of nothing but zeros is not a number; add a small number before it.":
    " Die Steigung einer Norm aus lauter Nullen ist keine Zahl; addiere vorher eine kleine Zahl.",
  " The slope of the arc sine is infinite at -1 and 1; clamp its input a little further in.":
    " Die Steigung des Arkussinus ist bei -1 und 1 unendlich; begrenze seine Eingabe etwas enger.",
  " The slope of the arc cosine is infinite at -1 and 1; clamp its input a little further in.":
    " Die Steigung des Arkuskosinus ist bei -1 und 1 unendlich; begrenze seine Eingabe etwas enger.",
  " The slope of the logarithm is infinite at 0; add a small number before it.":
    " Die Steigung des Logarithmus ist bei 0 unendlich; addiere vorher eine kleine Zahl.",
  " The slope of a power below 1 is infinite at 0; add a small number before it.":
    " Die Steigung einer Potenz unter 1 ist bei 0 unendlich; addiere vorher eine kleine Zahl.",
  "The loss jumped to {loss}: the largest of the {count} steps before was {largest}.":
    "Der Verlust sprang auf {loss}: Der größte der {count} Schritte davor war {largest}.",
  "The gradient vanished: its norm is {norm}, and was {usual} in the middle of {count} steps.":
    "Der Gradient verschwand: Seine Norm ist {norm}, und sie war {usual} in der Mitte von {count} Schritten.",
  "The gradient exploded: its norm is {norm}, and was {usual} in the middle of {count} steps.":
    "Der Gradient explodierte: Seine Norm ist {norm}, und sie war {usual} in der Mitte von {count} Schritten.",
  "The loss of step {step} is {number}.": "Der Verlust von Schritt {step} ist {number}.",
  "Look at the data: drop what is missing in it, or fill it in.":
    "Sieh dir die Daten an: Lass weg, was darin fehlt, oder fülle es auf.",
  "The training had diverged: the gradient norm was {norm} in step {step}. Clip the norm, or lower the learning rate.":
    "Das Training war schon entgleist: Die Norm des Gradienten war {norm} in Schritt {step}. Begrenze die Norm, oder senke die Lernrate.",
  "Look at the inputs of this op: their values show why.":
    "Sieh dir die Eingaben dieser Operation an: Ihre Werte zeigen, warum.",
  "Record with values to see the op that made it: --values all.":
    "Zeichne mit Werten auf, um die Operation zu sehen, die es gemacht hat: --values all.",
  // Regeln, die keine Formel sind
  "backward through time, see {op}": "rückwärts durch die Zeit, siehe {op}",
  "by differentiating the layer step by step": "durch Ableiten der Schicht, Schritt für Schritt",
  "by differentiating the formula": "durch Ableiten der Formel",
  // Kein Gradient
  "{names} never has a gradient: {why}.": "{names} hat nie einen Gradienten: {why}.",
  "{names} never have a gradient: {why}.": "{names} haben nie einen Gradienten: {why}.",
  "what is computed from it was detached": "Was daraus berechnet wird, wurde abgeschnitten",
  "it was detached": "Es wurde abgeschnitten",
  "no op takes it": "Keine Operation benutzt es",
  "it is used under no_grad() only": "Es wird nur unter no_grad() benutzt",
  "what is computed from it goes into {op}, which has no gradient":
    "Was daraus berechnet wird, geht in {op}, das keinen Gradienten hat",
  "backward began at a leaf: a new tensor, which hangs on nothing":
    "Backward begann bei einem Blatt: einem neuen Tensor, der an nichts hängt",
  "it is used, but nothing of it reaches the loss": "Es wird benutzt, aber nichts davon erreicht den Verlust",
  "what is computed from them was detached": "Was daraus berechnet wird, wurde abgeschnitten",
  "they were detached": "Sie wurden abgeschnitten",
  "no op takes them": "Keine Operation benutzt sie",
  "they are used under no_grad() only": "Sie werden nur unter no_grad() benutzt",
  "what is computed from them goes into {op}, which has no gradient":
    "Was daraus berechnet wird, geht in {op}, das keinen Gradienten hat",
  "they are used, but nothing of them reaches the loss": "Sie werden benutzt, aber nichts davon erreicht den Verlust",
  "Use them in forward, or leave them out of the net.": "Benutze sie in forward, oder lass sie aus dem Netz weg.",
  "Compute them outside of no_grad().": "Berechne sie außerhalb von no_grad().",
  "Use what stands before the cut where the gradient shall flow.":
    "Benutze, was vor dem Schnitt steht, wo der Gradient fließen soll.",
  "Use what stands before the cut.": "Benutze, was vor dem Schnitt steht.",
  "Use it in forward, or leave it out of the net.": "Benutze es in forward, oder lass es aus dem Netz weg.",
  "Compute it outside of no_grad().": "Berechne es außerhalb von no_grad().",
  "Call backward() of what was computed, and not of a tensor made of its numbers.":
    "Rufe backward() von dem auf, was berechnet wurde, und nicht von einem Tensor aus seinen Zahlen.",
  "Check which result the loss is computed from.": "Prüfe, aus welchem Ergebnis der Verlust berechnet wird.",
  "Use a loss of the scores themselves, such as cross_entropy: a comparison or argmax has no slope.":
    "Nimm einen Verlust der Werte selbst, etwa cross_entropy: Ein Vergleich oder argmax hat keine Steigung.",
  "{name} has no gradient: what is computed from it was detached.":
    "{name} hat keinen Gradienten: Was daraus berechnet wird, wurde abgeschnitten.",
  "The loss needs no gradient: what it is computed from was detached.":
    "Der Verlust braucht keinen Gradienten: Woraus er berechnet wird, wurde abgeschnitten.",
  "The loss needs no gradient: it was computed from the result of {op}, which has none.":
    "Der Verlust braucht keinen Gradienten: Er wurde aus dem Ergebnis von {op} berechnet, das keinen hat.",
  "The loss needs no gradient: {op} was computed under no_grad().":
    "Der Verlust braucht keinen Gradienten: {op} wurde unter no_grad() berechnet.",
  "The loss needs no gradient: all {count} parameters that it was computed from are frozen.":
    "Der Verlust braucht keinen Gradienten: Alle {count} Parameter, aus denen er berechnet wurde, sind eingefroren.",
  "Set requires_grad to True for those that are to learn.":
    "Setze requires_grad auf True bei denen, die lernen sollen.",
  "Gradients are not cleared: each backward adds to what earlier steps left in .grad.":
    "Gradienten werden nicht gelöscht: Jedes backward addiert zu dem, was frühere Schritte in .grad gelassen haben.",
  "Call optimizer.zero_grad() before backward.": "Rufe optimizer.zero_grad() vor backward auf.",
  "Gradients are cleared before the optimiser uses them: its step moves nothing.":
    "Gradienten werden gelöscht, bevor der Optimierer sie benutzt: Sein Schritt bewegt nichts.",
  "Call zero_grad() before backward, or after step().": "Rufe zero_grad() vor backward auf, oder nach step().",
  "{name} is a leaf and was overwritten between its use and backward.":
    "{name} ist ein Blatt und wurde zwischen seiner Benutzung und backward überschrieben.",
  "Change it after backward, under no_grad(), or use a copy.":
    "Ändere es nach backward, unter no_grad(), oder nimm eine Kopie.",
  "A result that backward needs was overwritten through .data: the gradients are wrong.":
    "Ein Ergebnis, das backward braucht, wurde über .data überschrieben: Die Gradienten sind falsch.",
  "Leave out the .data: with the op that makes a new tensor, the gradient is right.":
    "Lass .data weg: Mit der Operation, die einen neuen Tensor macht, stimmt der Gradient.",
  "A tensor that backward needs was overwritten after it was saved.":
    "Ein Tensor, den backward braucht, wurde nach dem Speichern überschrieben.",
  "Use the op that makes a new tensor: without the underscore.":
    "Nimm die Operation, die einen neuen Tensor macht: ohne den Unterstrich.",
  "Write {line}, which makes a new tensor.": "Schreibe {line}, das macht einen neuen Tensor.",
  "A leaf that requires a gradient is changed in place outside of no_grad().":
    "Ein Blatt, das einen Gradienten verlangt, wird außerhalb von no_grad() an Ort und Stelle geändert.",
  "Do it under no_grad().": "Tu es unter no_grad().",
  // Der Optimierer
  "The optimiser's step() comes before backward(): it never finds a gradient.":
    "Das step() des Optimierers kommt vor backward(): Es findet nie einen Gradienten.",
  "The order is zero_grad(), backward(), step().": "Die Reihenfolge ist zero_grad(), backward(), step().",
  "The optimiser took {count} steps, and backward() never ran: no parameter has a gradient.":
    "Der Optimierer tat {count} Schritte, und backward() lief nie: Kein Parameter hat einen Gradienten.",
  "Call loss.backward() before step().": "Rufe loss.backward() vor step() auf.",
  "step() is called twice for one backward: the same gradients move all again ({count} times seen).":
    "step() wird zweimal für ein backward aufgerufen: Dieselben Gradienten bewegen alles noch einmal ({count}-mal gesehen).",
  "Call step() once after each backward.": "Rufe step() einmal nach jedem backward auf.",
  "Each step has a new {optimizer}: what it remembers of earlier gradients begins anew.":
    "Jeder Schritt hat ein neues {optimizer}: Was es sich von früheren Gradienten merkt, beginnt von vorn.",
  "Make the optimiser once, before the loop.": "Mache den Optimierer einmal, vor der Schleife.",
  "Gradients come in {count} passes and are cleared each time, but nothing moves the parameters.":
    "Gradienten kommen in {count} Durchgängen und werden jedes Mal gelöscht, aber nichts bewegt die Parameter.",
  "Call optimizer.step() after backward.": "Rufe optimizer.step() nach backward auf.",
  "{name} is new in every step: what it learns is lost.":
    "{name} ist in jedem Schritt neu: Was es lernt, geht verloren.",
  "Make the module once, in __init__.": "Mache das Modul einmal, in __init__.",
  "{name} gets gradients, but no optimiser moves it: it is no nn.Parameter.":
    "{name} bekommt Gradienten, aber kein Optimierer bewegt es: Es ist kein nn.Parameter.",
  "Make it an nn.Parameter, or give it to the optimiser.":
    "Mache daraus einen nn.Parameter, oder gib es dem Optimierer.",
  "{name} gets gradients, but no optimiser moves it: its module is not registered in {root}.":
    "{name} bekommt Gradienten, aber kein Optimierer bewegt es: Sein Modul ist nicht in {root} angemeldet.",
  "Keep modules in nn.ModuleList, nn.ModuleDict or as attributes: not in a list or dict.":
    "Halte Module in nn.ModuleList, nn.ModuleDict oder als Attribute: nicht in einer Liste oder einem dict.",
  "{name} gets gradients, but no optimiser moves it; the optimiser moves {count} parameters that nothing uses: it was made for other modules.":
    "{name} bekommt Gradienten, aber kein Optimierer bewegt es; der Optimierer bewegt {count} Parameter, die nichts benutzt: Er wurde für andere Module gemacht.",
  "Make the optimiser after the net has its last form.":
    "Mache den Optimierer, nachdem das Netz seine endgültige Form hat.",
  "{names} gets gradients, but no optimiser moves it: it has the {count} parameters before it alone.":
    "{names} bekommt Gradienten, aber kein Optimierer bewegt es: Er hat nur die {count} Parameter davor.",
  "{names} get gradients, but no optimiser moves it: it has the {count} parameters before it alone.":
    "{names} bekommen Gradienten, aber kein Optimierer bewegt sie: Er hat nur die {count} Parameter davor.",
  "Give the optimiser this layer's parameters too, or freeze it.":
    "Gib dem Optimierer auch die Parameter dieser Schicht, oder friere sie ein.",
  "Gradients arrive, and all of them are 0 when the optimiser moves: they are scaled by 0.":
    "Gradienten kommen an, und alle sind 0, wenn der Optimierer sie benutzt: Sie werden mit 0 skaliert.",
  "Clip to a positive norm, such as 1.": "Kappe auf eine positive Norm, etwa 1.",
  // Größe der Gradienten und Schritte
  "{op} is saturated: {share} of its results lie at the ends of its range, without a slope.":
    "{op} ist gesättigt: {share} seiner Ergebnisse liegen an den Enden seines Bereichs, ohne Steigung.",
  "Scale the inputs to about 1, or start from smaller weights.":
    "Skaliere die Eingaben auf etwa 1, oder beginne mit kleineren Gewichten.",
  "The gradient of {names} is 0 in every step: {op} has slope 0.":
    "Der Gradient von {names} ist in jedem Schritt 0: {op} hat Steigung 0.",
  "Use an op with a slope, or a straight-through estimate.":
    "Nimm eine Operation mit Steigung, oder einen Straight-Through-Schätzer.",
  "The gradient of {names} is 0 in every step, though the loss is not 0.":
    "Der Gradient von {names} ist in jedem Schritt 0, obwohl der Verlust nicht 0 ist.",
  "Follow its path: where the gradient becomes 0, there is the cause.":
    "Folge seinem Weg: Wo der Gradient 0 wird, da ist die Ursache.",
  "All {count} weights begin as one number each: the units of a layer are the same, and stay so.":
    "Alle {count} Gewichte beginnen mit je einer einzigen Zahl: Die Einheiten einer Schicht sind gleich und bleiben es.",
  "Begin with random weights, as the layers do by themselves.":
    "Beginne mit zufälligen Gewichten, wie es die Schichten von selbst tun.",
  "The gradient vanishes on its way back: {near}'s is {small} per element, {far}'s {large}.":
    "Der Gradient verschwindet auf dem Weg zurück: Der von {near} ist {small} je Element, der von {far} {large}.",
  "Try ReLU, normalisation, residual connections, or another init.":
    "Versuche ReLU, Normalisierung, Residualverbindungen oder andere Anfangswerte.",
  "The gradient explodes on its way back from {far} to {near}.":
    "Der Gradient explodiert auf dem Weg zurück von {far} nach {near}.",
  "Clip the norm, normalise, or start from smaller weights.":
    "Kappe die Norm, normalisiere, oder beginne mit kleineren Gewichten.",
  "The gradients explode: their norm is {norm} in step {step}.":
    "Die Gradienten explodieren: Ihre Norm ist {norm} in Schritt {step}.",
  "Clip the norm, scale the loss, or lower the learning rate.":
    "Kappe die Norm, skaliere den Verlust, oder verkleinere die Lernrate.",
  "All weights shrink to nothing: the norm of {name} was {was}, and is {now} now.":
    "Alle Gewichte schrumpfen zu nichts: Die Norm von {name} war {was}, und jetzt ist sie {now}.",
  "Lower weight_decay, or whatever else pulls the weights to 0.":
    "Verkleinere weight_decay, oder was sonst die Gewichte zu 0 zieht.",
  "{where} lets nothing through: all its units are 0 in all {count} steps looked at.":
    "{where} lässt nichts durch: Alle seine Einheiten sind 0 in allen {count} angesehenen Schritten.",
  "{where} is mostly dead: {dead} of {all} units are 0 in all {count} steps looked at.":
    "{where} ist fast ganz tot: {dead} von {all} Einheiten sind 0 in allen {count} angesehenen Schritten.",
  "The ReLU in {module}": "Das ReLU in {module}",
  "The ReLU after {module}": "Das ReLU nach {module}",
  "A ReLU": "Ein ReLU",
  "Lower the learning rate, check the bias before it, or use LeakyReLU or GELU.":
    "Verkleinere die Lernrate, prüfe den Bias davor, oder nimm LeakyReLU oder GELU.",
  "One of the first steps moves weights by {times} times their own norm: the learning rate is too large.":
    "Einer der ersten Schritte bewegt Gewichte um das {times}-Fache ihrer Norm: Die Lernrate ist zu groß.",
  "About 0.001 of the norm is usual: divide the learning rate by a hundred.":
    "Etwa 0.001 der Norm ist üblich: Teile die Lernrate durch hundert.",
  "A step moves the weights by {times} of their own norm: the learning rate is too large.":
    "Ein Schritt bewegt die Gewichte um {times} ihrer Norm: Die Lernrate ist zu groß.",
  "About 0.001 is usual: divide the learning rate by ten.": "Etwa 0.001 ist üblich: Teile die Lernrate durch zehn.",
  "A step moves the weights by {times} of their norm: float32 hardly shows it.":
    "Ein Schritt bewegt die Gewichte um {times} ihrer Norm: In float32 ist das kaum zu sehen.",
  "The learning rate is too small; about 0.001 of the norm is usual.":
    "Die Lernrate ist zu klein; etwa 0.001 der Norm ist üblich.",
  // Verluste
  "CrossEntropyLoss takes the softmax itself": "CrossEntropyLoss bildet selbst das Softmax",
  "BCEWithLogitsLoss takes the sigmoid itself": "BCEWithLogitsLoss bildet selbst das Sigmoid",
  "{op} stands before {loss}: {why}, so it is taken twice.":
    "{op} steht vor {loss}: {why}, also wird es zweimal gebildet.",
  "A ReLU stands before {loss}: what is below 0 becomes 0, and learns nothing from there.":
    "Vor {loss} steht ein ReLU: Was unter 0 liegt, wird 0 und lernt von dort nichts.",
  "Leave out the ReLU after the last layer.": "Lass das ReLU nach der letzten Schicht weg.",
  "Give the loss what comes before it: the logits.": "Gib dem Verlust, was davor kommt: die Logits.",
  "NllLoss is given what {op} made, up to {most}: it takes logarithms of probabilities, which are never above 0.":
    "NllLoss bekommt, was {op} gemacht hat, bis zu {most}: Es verlangt Logarithmen von Wahrscheinlichkeiten, und die liegen nie über 0.",
  "Use log_softmax before it, or cross_entropy instead.": "Nimm log_softmax davor, oder stattdessen cross_entropy.",
  "{op} runs over dim 0, which are the {rows} rows of the batch, and not the {classes} classes.":
    "{op} läuft über dim 0, das sind die {rows} Zeilen des Stapels und nicht die {classes} Klassen.",
  "Use dim=1 (or -1).": "Nimm dim=1 (oder -1).",
  "{op} runs over a single class: it is {number} whatever it is given.":
    "{op} läuft über eine einzige Klasse: Es ist {number}, was immer es bekommt.",
  "Use a sigmoid for one output, or two outputs.": "Nimm ein Sigmoid für eine Ausgabe, oder zwei Ausgaben.",
  "A result of shape {made} is compared with a target of shape {target}: they broadcast to {both}, each of the one with each of the other.":
    "Ein Ergebnis der Form {made} wird mit einem Ziel der Form {target} verglichen: Beide werden auf {both} wiederholt, jedes des einen mit jedem des anderen.",
  "Give both the same shape: squeeze(1) or unsqueeze(1).": "Gib beiden dieselbe Form: squeeze(1) oder unsqueeze(1).",
  "The loss is minus {op}: each step makes the error larger.":
    "Der Verlust ist minus {op}: Jeder Schritt macht den Fehler größer.",
  "Leave out the minus: an optimiser makes its loss small.":
    "Lass das Minus weg: Ein Optimierer macht seinen Verlust klein.",
  // Dropout, Speicher, Ende
  "Dropout is on while the loss is measured under no_grad(): the net is still in training mode.":
    "Dropout ist an, während der Verlust unter no_grad() gemessen wird: Das Netz ist noch im Training.",
  "Call net.eval() before, and net.train() after.": "Rufe vorher net.eval() auf, und danach net.train().",
  "Dropout is off in training: after the net was evaluated it was not set back to training mode.":
    "Dropout ist im Training aus: Nach dem Auswerten wurde das Netz nicht zurück ins Training gesetzt.",
  "Call net.train() before each epoch.": "Rufe net.train() vor jeder Epoche auf.",
  "The graph grows from step to step: the last one hangs on {count} ops of earlier steps.":
    "Der Graph wächst von Schritt zu Schritt: Der letzte hängt an {count} Operationen früherer Schritte.",
  "Add loss.item(), or detach() the state that is carried over.":
    "Addiere loss.item(), oder schneide den mitgenommenen Zustand mit detach() ab.",
  "The graphs of {count} steps were kept: what is computed here takes a result of each.":
    "Die Graphen von {count} Schritten wurden behalten: Was hier berechnet wird, nimmt ein Ergebnis aus jedem.",
  "Keep loss.item(), or loss.detach(), in each step.": "Behalte in jedem Schritt loss.item() oder loss.detach().",
  "After each step {count} bytes more are kept for backward: the graphs of all steps are held.":
    "Nach jedem Schritt sind {count} Bytes mehr für backward gespeichert: Die Graphen aller Schritte werden gehalten.",
  "Keep a result with detach(), or item(), where it outlives its step.":
    "Behalte ein Ergebnis mit detach() oder item(), wo es seinen Schritt überlebt.",
  "{op} keeps {kept} MiB for its backward, of {most} MiB that are held at most.":
    "{op} speichert {kept} MiB für sein backward, von höchstens {most} MiB.",
  "Compute it in parts, with smaller tensors, or under a checkpoint.":
    "Berechne es in Teilen, mit kleineren Tensoren, oder mit einem Checkpoint.",
  "This step hangs on the graph of an earlier one, which a backward has used up: a state is carried over.":
    "Dieser Schritt hängt am Graphen eines früheren, den ein backward verbraucht hat: Ein Zustand wird mitgenommen.",
  "Call detach() on the state where a step begins.": "Rufe am Beginn eines Schritts detach() vom Zustand auf.",
  "backward() ran a second time through the same graph, which had let go of what it kept.":
    "backward() lief ein zweites Mal durch denselben Graphen, der schon freigegeben hatte, was er speicherte.",
  "Compute the loss anew, or say retain_graph=True the first time.":
    "Berechne den Verlust neu, oder sage beim ersten Mal retain_graph=True.",
  "The program ended with {error}.": "Das Programm endete mit {error}.",
  "Write target.argmax(1), the number of each row's class, or target.float().":
    "Schreib target.argmax(1), die Nummer der Klasse jeder Zeile, oder target.float().",
  "Give each row one number: target.argmax(1) of one-hot rows, squeeze(1) of a column.":
    "Gib jeder Zeile eine Nummer: target.argmax(1) von One-Hot-Zeilen, squeeze(1) von einer Spalte.",
  "The numbers of classes are integers: write target.long().":
    "Die Nummern der Klassen sind ganze Zahlen: Schreib target.long().",
  "This loss takes a target of floating-point numbers: write target.float().":
    "Dieser Verlust verlangt ein Ziel aus Gleitkommazahlen: Schreib target.float().",
  "Give the result and the target the same shape: squeeze(1) or unsqueeze(1) of one of them.":
    "Gib Ergebnis und Ziel dieselbe Form: squeeze(1) oder unsqueeze(1) von einem der beiden.",
  "Convert the input: x.float(), or x.double() for a net of double precision.":
    "Wandle die Eingabe um: x.float(), oder x.double() für ein Netz in doppelter Genauigkeit.",
  "Sizes match from the last one on: equal, or one of them 1.":
    "Größen passen von der letzten an: gleich, oder eine von beiden ist 1.",
  "Backward begins at one number: call .mean() or .sum() of it first.":
    "Backward beginnt bei einer einzigen Zahl: Ruf vorher .mean() oder .sum() davon auf.",
  "A convolution takes batch, channels, height, width: see permute() and unsqueeze(1).":
    "Eine Faltung verlangt Stapel, Kanäle, Höhe, Breite: siehe permute() und unsqueeze(1).",
  "The last size of what a recurrent layer is given is its input_size.":
    "Die letzte Größe dessen, was eine rekurrente Schicht bekommt, ist ihre input_size.",
  "An embedding takes integers: write x.long().": "Ein Embedding verlangt ganze Zahlen: Schreib x.long().",
  "Layers in a plain list are no part of a module: keep them in an nn.ModuleList.":
    "Schichten in einer bloßen Liste gehören zu keinem Modul: Halte sie in einer nn.ModuleList.",
  "Classes count from 0: labels lie below the number of outputs.":
    "Klassen zählen ab 0: Ihre Nummern liegen unter der Zahl der Ausgaben.",
  "Batch statistics need two rows: use drop_last=True, or eval().":
    "Statistik über einen Stapel braucht zwei Zeilen: Nimm drop_last=True, oder eval().",
  "An embedding takes numbers below its size.": "Ein Embedding nimmt Zahlen unter seiner Größe.",
  "Use a sigmoid before it, or binary_cross_entropy_with_logits.":
    "Nimm ein Sigmoid davor, oder binary_cross_entropy_with_logits.",
  "The second size of the first must be the first of the second.":
    "Die zweite Größe des ersten muss die erste des zweiten sein.",
  "{path} takes {wanted} features, and was given {given}.": "{path} nimmt {wanted} Merkmale und bekam {given}.",
  "A .grad is None before backward, and of what is no leaf: `w = w - lr * w.grad` makes w a result; write `w -= lr * w.grad` under no_grad().":
    "Ein .grad ist None vor backward, und bei allem, was kein Blatt ist: `w = w - lr * w.grad` macht w zu einem Ergebnis; schreibe `w -= lr * w.grad` unter no_grad().",
  // Die Zahl anfassen
  "An element can be moved to a finite number.": "Ein Element lässt sich auf eine endliche Zahl bewegen.",
  "No op of this step was recorded, only its numbers: choose a step that was kept whole.":
    "Von diesem Schritt wurde keine Operation aufgezeichnet, nur seine Zahlen: Wähle einen Schritt, der ganz behalten wurde.",
  "This step has {count} ops; up to {most} are computed again.":
    "Dieser Schritt hat {count} Operationen; bis zu {most} werden neu berechnet.",
  "A tensor of this step has {count} elements, too many to compute with here.":
    "Ein Tensor dieses Schritts hat {count} Elemente, zu viele, um hier damit zu rechnen.",
  "Not every element of {name} was kept, so it cannot be moved here.":
    "Nicht jedes Element von {name} wurde behalten, also lässt es sich hier nicht bewegen.",
  "That is no number which can be moved.": "Das ist keine Zahl, die sich bewegen lässt.",
  "{why}, so what follows from it cannot be computed again.":
    "{why}, also lässt sich nicht neu berechnen, was daraus folgt.",
  "Hooks changed gradients in this step; they are not run again.":
    "Hooks haben in diesem Schritt Gradienten geändert; sie laufen nicht noch einmal.",
  "The gradients are those that backward gives: the program changed them afterwards, as clipping does.":
    "Die Gradienten sind die, die backward ergibt: Das Programm hat sie danach geändert, wie beim Kappen.",
  "No backward of this step was recorded: the last single number stands for the loss.":
    "Von diesem Schritt wurde kein backward aufgezeichnet: Die letzte einzelne Zahl steht für den Verlust.",
  "To {names} the program brought another gradient: something on its way was not recorded.":
    "Zu {names} brachte das Programm einen anderen Gradienten: Etwas auf seinem Weg wurde nicht aufgezeichnet.",
  "Kept as recorded, with no gradient before it: {what}.": "Gelassen wie aufgezeichnet, ohne Gradienten davor: {what}.",
  // Der Server
  "There is no run {run}. GET /api/runs lists the runs there are; it may have been deleted.":
    "Es gibt keinen Lauf {run}. GET /api/runs zählt die Läufe auf; vielleicht wurde er gelöscht.",
  "The program's connection ended without a goodbye and did not come back: it was killed, or crashed hard.":
    "Die Verbindung des Programms endete ohne Abschied und kam nicht wieder: Es wurde beendet, oder es stürzte ab.",
  "The server was stopped while the program ran, and the program has not come back since.":
    "Der Server wurde angehalten, während das Programm lief, und das Programm kam seither nicht wieder.",
  "The program said goodbye without saying how its run ended.":
    "Das Programm verabschiedete sich, ohne zu sagen, wie sein Lauf endete.",
  "The program of this run has ended, and its values with it: what was recorded of them is all there is.":
    "Das Programm dieses Laufs ist beendet, und seine Werte mit ihm: Was davon aufgezeichnet wurde, ist alles.",
  "The program owes {count} answers already; ask again when some have come.":
    "Das Programm schuldet schon {count} Antworten; frage wieder, wenn einige gekommen sind.",
  "The program has not answered for {count} seconds: it hangs, or its minigrad is older.":
    "Das Programm hat {count} Sekunden lang nicht geantwortet: Es hängt, oder sein minigrad ist älter.",
  "The program of {name} is not connected, so it cannot be controlled.":
    "Das Programm von {name} ist nicht verbunden, also lässt es sich nicht steuern.",
  "The program of {name} takes no requests: it has no debugger.":
    "Das Programm von {name} nimmt keine Wünsche an: Es hat keinen Debugger.",
  "The program of run {run} has lost its connection, and may come back. Stop it, or wait until the run counts as lost, {count} seconds after it was last heard of; then delete it.":
    "Das Programm des Laufs {run} hat seine Verbindung verloren und kommt vielleicht wieder. Halte es an, oder warte, bis der Lauf als verloren gilt, {count} Sekunden nach seinem letzten Zeichen; lösche ihn dann.",
  "The trace ends before its run: the program was stopped, or the file cut.":
    "Die Aufzeichnung endet vor ihrem Lauf: Das Programm wurde angehalten, oder die Datei abgeschnitten.",
  "The check was ended: it took more than {count} seconds. The machine may be busy; try again.":
    "Die Prüfung wurde beendet: Sie dauerte mehr als {count} Sekunden. Vielleicht ist der Rechner ausgelastet; versuche es noch einmal.",
  // Teile davon
  "{nan} NaN and {inf} infinity": "{nan} NaN und {inf} Unendlich",
  "{nan} NaN and {inf} infinities": "{nan} NaN und {inf} Unendlichkeiten",
  "{count} infinity": "{count} Unendlich",
  "{count} infinities": "{count} Unendlichkeiten",
  "{names} (and {count} more)": "{names} (und {count} weitere)",
  "{names} and {count} more": "{names} und {count} weitere",
};
