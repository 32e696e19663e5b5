/**
 * A drawing context that writes SVG. It has only what our painting functions use, so that the SVG equals the screen.
 */
import type { Context } from "./brush";

type Matrix = [number, number, number];

const round = (n: number): string => String(Math.round(n * 100) / 100);
const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

export class SvgContext {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  imageSmoothingEnabled = true;

  private readonly parts: string[] = [];
  private path = "";
  private dash: number[] = [];
  /** Scale and shift; painting uses no other transforms. */
  private matrix: Matrix = [1, 0, 0];
  private readonly stack: Matrix[] = [];
  private readonly ruler = document.createElement("canvas").getContext("2d")!;

  /** The SVG document of a part of the world. */
  document(x: number, y: number, w: number, h: number, background: string): string {
    const box = [x, y, w, h].map(round).join(" ");
    const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" width="${round(w)}" height="${round(h)}">`;
    const back = `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" fill="${background}"/>`;
    return `${head}${back}${this.parts.join("")}</svg>`;
  }

  save(): void {
    this.stack.push([...this.matrix]);
  }
  restore(): void {
    this.matrix = this.stack.pop() ?? [1, 0, 0];
  }
  translate(x: number, y: number): void {
    const [scale, dx, dy] = this.matrix;
    this.matrix = [scale, dx + x * scale, dy + y * scale];
  }
  scale(x: number): void {
    this.matrix[0] *= x;
  }
  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  beginPath(): void {
    this.path = "";
  }
  moveTo(x: number, y: number): void {
    this.path += `M${this.at(x, y)}`;
  }
  lineTo(x: number, y: number): void {
    this.path += `L${this.at(x, y)}`;
  }
  bezierCurveTo(a: number, b: number, c: number, d: number, x: number, y: number): void {
    this.path += `C${this.at(a, b)} ${this.at(c, d)} ${this.at(x, y)}`;
  }
  closePath(): void {
    this.path += "Z";
  }
  rect(x: number, y: number, w: number, h: number): void {
    this.path += `M${this.at(x, y)}L${this.at(x + w, y)}L${this.at(x + w, y + h)}L${this.at(x, y + h)}Z`;
  }
  roundRect(x: number, y: number, w: number, h: number, radius: number): void {
    const r = Math.min(radius, w / 2, h / 2);
    const turn = (tx: number, ty: number): string =>
      `A${round(r * this.matrix[0])} ${round(r * this.matrix[0])} 0 0 1 ${this.at(tx, ty)}`;
    this.path += `M${this.at(x + r, y)}L${this.at(x + w - r, y)}${turn(x + w, y + r)}L${this.at(x + w, y + h - r)}`;
    this.path += `${turn(x + w - r, y + h)}L${this.at(x + r, y + h)}${turn(x, y + h - r)}L${this.at(x, y + r)}${turn(x + r, y)}Z`;
  }
  /** Whole circles only. */
  arc(x: number, y: number, r: number): void {
    const radius = round(r * this.matrix[0]);
    const half = (tx: number): string => `A${radius} ${radius} 0 1 1 ${this.at(tx, y)}`;
    this.path += `M${this.at(x - r, y)}${half(x + r)}${half(x - r)}Z`;
  }

  fill(): void {
    this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}"${this.alpha()}/>`);
  }
  stroke(): void {
    this.parts.push(`<path d="${this.path}" fill="none" ${this.pen()}${this.alpha()}/>`);
  }
  fillRect(x: number, y: number, w: number, h: number): void {
    this.beginPath();
    this.rect(x, y, w, h);
    this.fill();
  }
  strokeRect(x: number, y: number, w: number, h: number): void {
    this.beginPath();
    this.rect(x, y, w, h);
    this.stroke();
  }

  measureText(text: string): TextMetrics {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  fillText(text: string, x: number, y: number): void {
    const [, weight = "400", size = "12", family = "sans-serif"] = /^(\d+) ([\d.]+)px (.*)$/.exec(this.font) ?? [];
    const anchor = { center: "middle", right: "end", end: "end", left: "start", start: "start" }[this.textAlign];
    const [px, py] = this.at(x, y).split(" ");
    const style = `font-family="${escape(family)}" font-size="${round(Number(size) * this.matrix[0])}" font-weight="${weight}"`;
    this.parts.push(
      `<text x="${px}" y="${py}" ${style} text-anchor="${anchor}" fill="${this.fillStyle}"${this.alpha()}>${escape(text)}</text>`,
    );
  }

  /** Draws a heatmap as one rectangle for each element, so that it is sharp at any size. */
  drawImage(image: HTMLCanvasElement | OffscreenCanvas, x: number, y: number, w: number, h: number): void {
    const { width, height } = image;
    const context = image.getContext("2d") as OffscreenCanvasRenderingContext2D;
    const { data } = context.getImageData(0, 0, width, height);
    for (let i = 0; i < width * height; i++) {
      this.fillStyle = `rgb(${data[i * 4]},${data[i * 4 + 1]},${data[i * 4 + 2]})`;
      const [cw, ch] = [w / width, h / height];
      this.fillRect(x + (i % width) * cw, y + Math.floor(i / width) * ch, cw + 0.05, ch + 0.05);
    }
  }

  private at(x: number, y: number): string {
    const [scale, dx, dy] = this.matrix;
    return `${round(x * scale + dx)} ${round(y * scale + dy)}`;
  }
  private alpha(): string {
    return this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : "";
  }
  private pen(): string {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    return `stroke="${this.strokeStyle}" stroke-width="${round(this.lineWidth * this.matrix[0])}"${dash}`;
  }
}

/** Lets painting functions take an SVG context. If one uses something else, its test fails. */
export const asContext = (svg: SvgContext): Context => svg as unknown as Context;
