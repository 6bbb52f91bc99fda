import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { adoptProperty } from './adopt-property.ts';

/** Content of a plot: one line over time. */
export interface PlotContent {
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  /** Upper end of the scale. */
  readonly max: number;
  readonly format: (value: number) => string;
}

const HEIGHT_PX = 170;
const HOUR_SECONDS = 3600;

/** A line over the last hour. */
class PlotElement extends HTMLElement {
  private shown: PlotContent | undefined;
  private plot: uPlot | undefined;
  private readonly observer = new ResizeObserver(() =>
    this.plot?.setSize({ width: this.clientWidth, height: HEIGHT_PX }),
  );
  private readonly scheme = matchMedia('(prefers-color-scheme: dark)');
  private readonly redraw = (): void => this.draw();

  get content(): PlotContent | undefined {
    return this.shown;
  }

  set content(content: PlotContent) {
    const isSame = this.shown?.times.at(-1) === content.times.at(-1) && this.shown?.max === content.max;
    this.shown = content;
    if (this.isConnected && !isSame) this.draw();
  }

  connectedCallback(): void {
    adoptProperty(this, 'content');
    this.observer.observe(this);
    this.scheme.addEventListener('change', this.redraw);
    this.draw();
  }

  disconnectedCallback(): void {
    this.observer.disconnect();
    this.scheme.removeEventListener('change', this.redraw);
    this.plot?.destroy();
    this.plot = undefined;
  }

  private draw(): void {
    this.plot?.destroy();
    this.plot = undefined;
    if (this.shown === undefined) return;
    const { times, values, max, format } = this.shown;
    const end = times.at(-1) ?? 0;
    // A canvas knows no colors of style sheets: an element takes them on.
    const color = (name: string): string => {
      const probe = document.createElement('i');
      probe.style.color = `var(${name})`;
      this.append(probe);
      const { color: computed } = getComputedStyle(probe);
      probe.remove();
      return computed;
    };
    const [dim, line, accent, fill] = ['--dim', '--line', '--accent', '--accent-soft'].map(color) as [
      string,
      string,
      string,
      string,
    ];
    const font = '11px system-ui, sans-serif';
    const axis = { stroke: dim, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    this.plot = new uPlot(
      {
        width: this.clientWidth || 400,
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { show: false },
        padding: [8, 8, 0, 0],
        scales: { x: { range: [end - HOUR_SECONDS, end] }, y: { range: [0, max] } },
        axes: [
          { ...axis, values: '{HH}:{mm}', size: 26 },
          { ...axis, values: (_, splits) => splits.map((value) => format(value)), size: 62 },
        ],
        series: [{}, { stroke: accent, fill, width: 1.5, points: { show: times.length < 3 } }],
      },
      [[...times], [...values]],
      this,
    );
  }
}

/** Makes `rx-plot` known to the browser. */
export function definePlotElement(): void {
  if (customElements.get('rx-plot') === undefined) customElements.define('rx-plot', PlotElement);
}
