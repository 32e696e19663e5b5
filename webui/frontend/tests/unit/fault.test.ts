import { describe, expect, it } from "vitest";
import { faultOf } from "../../src/app/fault";

describe("a fault of the page", () => {
  it("is an error that its code has thrown, or that a promise was rejected with", () => {
    expect(faultOf({ error: new TypeError("x is null") })).toBe("x is null");
    expect(faultOf({ reason: new Error("no such box") })).toBe("no such box");
    expect(faultOf({ reason: new TypeError("Failed to fetch dynamically imported module: a.js") })).toContain("a.js");
  });

  it("is not a request that failed or was given up, nor what the browser says by itself", () => {
    expect(faultOf({ reason: new TypeError("Failed to fetch") })).toBeNull();
    expect(faultOf({ reason: new DOMException("The user aborted a request.", "AbortError") })).toBeNull();
    expect(faultOf({ error: null })).toBeNull(); // a resize observer that could not tell everybody
    expect(faultOf({ reason: "stop" })).toBeNull();
  });
});
