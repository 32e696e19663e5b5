/** A recorded step in somebody's own page. */
import { expect, it } from "vitest";
import { embedded } from "../../src/model/embed";

it("is one line of HTML at the moment that is shown, with the picture wide and all of the address quoted", () => {
  const line = embedded('my "net".html', "#run=a%26b&step=3&at=9", "net <1>");
  expect(line).not.toContain("\n");
  const frame = new RegExp('^<iframe src="([^"]*)" title="([^"]*)" ').exec(line)!;
  expect(frame[2]).toBe("net &#60;1&#62;");
  const [path, hash] = frame[1]!.replaceAll("&#38;", "&").split("#");
  expect(decodeURIComponent(path!)).toBe('my "net".html');
  expect(Object.fromEntries(new URLSearchParams(hash))).toEqual({ run: "a&b", step: "3", at: "9", wide: "1" });
});
