import { html, nothing, type TemplateResult } from 'lit';
import type { NodeReport, NodeResourceRow } from '../../../src/endpoints/node-report.ts';
import { formatSince } from '../age.ts';
import type { PageContext } from '../page-context.ts';
import { modulePanel } from '../parts/panel.ts';
import type { PlotContent } from '../parts/plot-element.ts';
import { createPolled, type Polled } from '../poll.ts';
import { tablePanel } from '../parts/table-panel.ts';
import { printable } from '../printable.ts';
import { styled } from '../styled.ts';
import { SIGNS, type Tone } from '../tone.ts';
import { formatBytes, formatCpu } from '../use.ts';
import type { View } from '../view.ts';

/** Use of the node at one moment, from `/stats/history`. */
interface UseSample {
  readonly timeMs: number;
  readonly cpuNanoseconds: number;
  readonly workingSetBytes: number;
}

const PERIOD_MS = 10_000;
const GIBIBYTE = 2 ** 30;

let report: Polled<NodeReport> | undefined;
let history: Polled<readonly UseSample[]> | undefined;

/** The view of the node: its resources and their use, conditions, health, thresholds of evictions, panels of modules. */
export const nodeView: View = {
  show(page) {
    report ??= createPolled(PERIOD_MS, page.update);
    history ??= createPolled(
      PERIOD_MS,
      page.update,
      async (answer) => ((await answer.json()) as { readonly samples: readonly UseSample[] }).samples,
    );
    report.show('ui/node');
    history.show('stats/history');
    void import('../parts/plot-element.ts').then(({ definePlotElement }) => definePlotElement());
    const node = report.value;
    if (node === undefined)
      return html`${report.problem === undefined ? nothing : html`<p class="empty">${printable(report.problem)}</p>`}`;
    return html`
      <div class="pod-title">
        <h1>${printable(node.name)}</h1>
        <dl class="facts">
          <div>
            <dt>Addresses</dt>
            <dd class="mono">${node.addresses.map(printable).join(', ') || '–'}</dd>
          </div>
          <div>
            <dt>Pods</dt>
            <dd>${node.pods.active}${node.pods.max === undefined ? '' : ` of ${String(node.pods.max)}`}</dd>
          </div>
        </dl>
      </div>
      ${plots(node, history.value ?? [])}
      <h2 class="group">Resources: room for further pods</h2>
      ${tablePanel('Resources', ['Resource', 'Requested', 'Allocatable', 'Capacity', 'Room'], node.resources.filter(({ capacity }) => capacity > 0).map(resourceLine))}
      <div class="columns">
        <div>${health(node, page)}</div>
        <div>${evictions(node.eviction)}</div>
      </div>
      ${node.panels.map(modulePanel)}
    `;
  },
  leave() {
    report?.stop();
    history?.stop();
  },
};

function plots(node: NodeReport, samples: readonly UseSample[]): TemplateResult {
  const capacityOf = (wanted: string): number => node.resources.find(({ name }) => name === wanted)?.capacity ?? 0;
  const times = samples.slice(1).map(({ timeMs }) => timeMs / 1000);
  const cpu: PlotContent = {
    times,
    values: samples.slice(1).map(({ timeMs, cpuNanoseconds }, index) => {
      const before = samples[index]!;
      // The time begins anew with a boot.
      return Math.max(0, (cpuNanoseconds - before.cpuNanoseconds) / 1e3 / (timeMs - before.timeMs));
    }),
    max: capacityOf('cpu') || 1000,
    format: (millis) => (millis / 1000).toFixed(1),
  };
  const memory: PlotContent = {
    times,
    // In the unit of the labels, so that the lines of the grid are at round values.
    values: samples.slice(1).map(({ workingSetBytes }) => workingSetBytes / GIBIBYTE),
    max: (capacityOf('memory') || GIBIBYTE) / GIBIBYTE,
    format: (amount) => `${String(amount)} GiB`,
  };
  return html`<div class="columns">
    ${plot('CPU', cpu, `${formatCpu(cpu.values.at(-1) ?? undefined)} of ${formatCpu(cpu.max)}`)}
    ${plot('Memory', memory, `${formatBytes(samples.at(-1)?.workingSetBytes)} of ${formatBytes(capacityOf('memory'))}`)}
  </div>`;
}

function plot(title: string, content: PlotContent, now: string): TemplateResult {
  return html`<section class="panel plot" aria-label="${title} over the last hour">
    <h2>
      ${title} <span class="dim">${content.times.length === 0 ? 'the first values come within a minute' : now}</span>
    </h2>
    <rx-plot role="img" aria-label="${title} over the last hour, now ${now}" .content=${content}></rx-plot>
  </section>`;
}

function resourceLine({ name, capacity, allocatable, requested }: NodeResourceRow): TemplateResult {
  const format = (amount: number): string =>
    name === 'cpu' ? formatCpu(amount) : /memory|storage|hugepages/.test(name) ? formatBytes(amount) : String(amount);
  const share = allocatable === 0 ? 0 : Math.min(1, requested / allocatable);
  return html`<tr>
    <th scope="row">${printable(name)}</th>
    <td>${format(requested)}</td>
    <td>${format(allocatable)}</td>
    <td>${format(capacity)}</td>
    <td class="wide">
      <span class="meter"><span class="fill" ${styled({ width: `${(100 * share).toFixed(1)}%` })}></span></span>
      ${format(Math.max(0, allocatable - requested))} left
    </td>
  </tr>`;
}

/** Conditions whose normal status is not `False`. */
const GOOD_WHEN_TRUE = ['Ready'];

function health({ conditions, checks }: NodeReport, { store }: PageContext): TemplateResult {
  return html`<h2 class="group">Health</h2>
    ${tablePanel(
      'Health',
      [],
      [
        conditions.map(({ type, status, reason, message, since }) => {
          const isGood = status === (GOOD_WHEN_TRUE.includes(type) ? 'True' : 'False');
          return healthLine(
            type,
            isGood ? 'ok' : 'bad',
            `${status}, for ${formatSince(since, store.now())}`,
            `${reason} ${message}`,
          );
        }),
        checks.map(({ name, problem }) =>
          healthLine(
            name,
            problem === undefined ? 'ok' : 'bad',
            problem === undefined ? 'passes' : 'fails',
            problem ?? '',
          ),
        ),
      ],
    )}`;
}

function healthLine(name: string, tone: Tone, word: string, text: string): TemplateResult {
  return html`<tr>
    <th scope="row">${printable(name)}</th>
    <td>
      <span class="sign ${tone}" aria-hidden="true">${SIGNS[tone]}</span
      ><span class="word ${tone}">${printable(word)}</span>
    </td>
    <td class="wide">${printable(text)}</td>
  </tr>`;
}

/** Section `eviction` of the debug state, as far as it is shown. */
interface EvictionState {
  readonly conditions?: readonly string[];
  readonly thresholds?: readonly unknown[];
  readonly thresholdsMet?: readonly unknown[];
  readonly evicting?: readonly unknown[];
}

function evictions(state: unknown): TemplateResult | typeof nothing {
  if (state === undefined) return nothing;
  const { conditions = [], thresholds = [], thresholdsMet = [], evicting = [] } = state as EvictionState;
  return html`<h2 class="group">Pressure and evictions</h2>
    ${tablePanel(
      'Pressure and evictions',
      [],
      [
        healthLine(
          'pressure',
          conditions.length === 0 ? 'ok' : 'bad',
          conditions.length === 0 ? 'none' : conditions.join(', '),
          '',
        ),
        thresholds.map(
          (threshold) =>
            html`<tr>
              <th scope="row">threshold</th>
              <td colspan="2" class="wide mono">${printable(describe(threshold))}</td>
            </tr>`,
        ),
        thresholds.length === 0
          ? html`<tr>
              <th scope="row">thresholds</th>
              <td colspan="2">none</td>
            </tr>`
          : nothing,
        thresholdsMet.map(
          (threshold) =>
            html`<tr>
              <th scope="row">met</th>
              <td colspan="2" class="wide mono">${printable(describe(threshold))}</td>
            </tr>`,
        ),
        evicting.map(
          (pod) =>
            html`<tr>
              <th scope="row">evicting</th>
              <td colspan="2" class="wide mono">${printable(describe(pod))}</td>
            </tr>`,
        ),
      ],
    )}`;
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${typeof part === 'object' ? JSON.stringify(part) : String(part)}`)
    .join(', ');
}
