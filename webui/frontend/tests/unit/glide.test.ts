import { describe, expect, it } from "vitest";
import { Glide, GLIDE_MS } from "../../src/camera/glide";

const HERE = { x: 0, y: 0, zoom: 1 };
const THERE = { x: 100, y: -40, zoom: 2 };

describe("a camera on its way", () => {
  it("begins where it stands, is half there at half the time, and ends at its aim", () => {
    const glide = new Glide(HERE, THERE, 1000);
    expect(glide.at(990)).toEqual(HERE);
    expect(glide.at(1000)).toEqual(HERE);
    expect(glide.at(1000 + GLIDE_MS / 2)).toEqual({ x: 50, y: -20, zoom: 1.5 });
    expect(glide.isOver(999 + GLIDE_MS)).toBe(false);
    expect(glide.at(1000 + GLIDE_MS)).toEqual(THERE);
    expect(glide.isOver(1000 + GLIDE_MS)).toBe(true);
  });

  it("arrives in its time however often it is sent on, and jumps nowhere", () => {
    let glide = new Glide(HERE, THERE, 0);
    let at = HERE;
    for (let now = 20; now < GLIDE_MS; now += 20) {
      const next = glide.at(now);
      expect(Math.abs(next.x - at.x)).toBeLessThan(60);
      glide = glide.on({ ...THERE, x: THERE.x + now }, now);
      expect(glide.at(now)).toEqual(next);
      at = next;
    }
    expect(glide.isOver(GLIDE_MS)).toBe(true);
    expect(glide.at(GLIDE_MS)).toEqual({ ...THERE, x: THERE.x + 300 });
  });

  it("is there at once if it should have arrived, though the next frame may be of a time before", () => {
    const end = 100 + GLIDE_MS;
    for (const late of [0, 1, 60]) {
      const glide = new Glide(HERE, THERE, 100).on(HERE, end + late);
      for (let now = 0; now < end + late; now += 20) expect(glide.at(now), `${late} ms late, at ${now}`).toEqual(THERE);
      expect(glide.at(end + late)).toEqual(HERE);
      expect(glide.isOver(end + late)).toBe(true);
    }
  });

  it("goes the same way in a world that has moved", () => {
    const glide = new Glide(HERE, THERE, 0);
    const moved = glide.moved(7, 9);
    const before = glide.at(100);
    expect(moved.at(100)).toEqual({ x: before.x + 7, y: before.y + 9, zoom: before.zoom });
    expect(moved.to).toEqual({ x: 107, y: -31, zoom: 2 });
  });
});
