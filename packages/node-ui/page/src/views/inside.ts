import { html, nothing, type TemplateResult } from 'lit';
import type { InsideReport } from '../../../src/endpoints/node-report.ts';
import { formatAge, formatDuration } from '../age.ts';
import { type Distribution, distributions, type MetricSet, parseMetrics, quantile, total } from '../metrics.ts';
import { flowPicture } from '../parts/flow-picture.ts';
import { modulePanel } from '../parts/panel.ts';
import { createPolled, type Polled } from '../poll.ts';
import { tablePanel } from '../parts/table-panel.ts';
import { printable } from '../printable.ts';
import { createRates } from '../rates.ts';
import { styled } from '../styled.ts';
import type { View } from '../view.ts';

const PERIOD_MS = 2000;

let report: Polled<InsideReport> | undefined;
let metrics: Polled<MetricSet> | undefined;
const rates = createRates();

/** The view of the agent's insides: how data flows through it now, queues and back-offs, calls of the runtime, panels of modules. */
export const insideView: View = {
  show(page) {
    report ??= createPolled(PERIOD_MS, page.update);
    metrics ??= createPolled(PERIOD_MS, page.update, async (answer) => {
      const parsed = parseMetrics(await answer.text());
      rates.add(parsed, page.store.now());
      return parsed;
    });
    report.show('ui/inside');
    metrics.show('metrics');
    const inside = report.value;
    const measured = metrics.value;
    if (inside === undefined || measured === undefined) {
      const problem = report.problem ?? metrics.problem;
      return html`${problem === undefined ? nothing : html`<p class="empty">${printable(problem)}</p>`}`;
    }
    return html`
      <h1 class="visually-hidden">Inside the agent</h1>
      <section class="panel flow" aria-label="Flow of data">${flowPicture(inside, measured, rates)}</section>
      ${waits(inside)} ${imagePulls(inside)} ${watches(measured)}
      <h2 class="group">Calls of the runtime</h2>
      ${calls(measured)} ${inside.panels.map(modulePanel)}
    `;
  },
  leave() {
    report?.stop();
    metrics?.stop();
    rates.clear();
  },
};

/** Section `waits` of the debug state: the pods that wait, by the kind of what they wait for. */
type WaitCounts = readonly { readonly kind?: string; readonly pods?: number; readonly oldestAgeMs?: number }[];

function waits({ sections }: InsideReport): TemplateResult | typeof nothing {
  const counts = (sections['waits'] ?? []) as WaitCounts;
  if (counts.length === 0) return nothing;
  return html`<h2 class="group">Waits and back-offs</h2>
    ${tablePanel(
      'Waits and back-offs',
      ['Wait', 'Pods', 'Oldest'],
      counts.map(
        ({ kind = '', pods = 0, oldestAgeMs = 0 }) =>
          html`<tr>
            <th scope="row" class="mono">${printable(kind)}</th>
            <td>${pods}</td>
            <td>${formatAge(oldestAgeMs)}</td>
          </tr>`,
      ),
    )}`;
}

const EVENTS = 'rxlet_watch_events_total';

/** The watches of an agent in a cluster. */
function watches(measured: MetricSet): TemplateResult | typeof nothing {
  const open = measured.get('rxlet_watches') ?? [];
  if (open.length === 0) return nothing;
  return html`<h2 class="group">Watches of the API server</h2>
    ${tablePanel(
      'Watches of the API server',
      ['Resource', 'Open', 'Events', 'Rate'],
      open.map(({ labels: { resource = '' }, value }) => {
        const rate = rates.perSecond(EVENTS, { resource });
        return html`<tr>
          <th scope="row" class="mono">${printable(resource)}</th>
          <td>${value}</td>
          <td>${total(measured, EVENTS, { resource })}</td>
          <td>${rate === undefined ? '–' : `${rate.toFixed(1)} /s`}</td>
        </tr>`;
      }),
    )}`;
}

/** Section `imagePulls` of the debug state, as far as it is shown. */
interface ImagePullState {
  readonly pulls?: readonly {
    readonly image?: string;
    readonly phase?: string;
    readonly position?: number;
    readonly ageMs?: number;
    readonly progress?: { readonly currentBytes?: number; readonly totalBytes?: number };
  }[];
}

function imagePulls({ sections }: InsideReport): TemplateResult | typeof nothing {
  const { pulls = [] } = (sections['imagePulls'] ?? {}) as ImagePullState;
  if (pulls.length === 0) return nothing;
  return html`<h2 class="group">Image pulls</h2>
    ${tablePanel(
      'Image pulls',
      [],
      pulls.map(({ image = '', phase = '', position = 0, ageMs = 0, progress }) => {
        const { currentBytes: bytes = 0, totalBytes = 0 } = progress ?? {};
        const share = totalBytes > 0 ? bytes / totalBytes : undefined;
        return html`<tr>
          <th scope="row" class="mono">${printable(image)}</th>
          <td>${printable(phase)}${position > 0 ? `, ${String(position)} in the queue` : ''}</td>
          <td>${formatAge(ageMs)}</td>
          <td class="wide">
            ${
              share === undefined
                ? ''
                : html`<span class="meter"
                      ><span class="fill" ${styled({ width: `${(100 * share).toFixed(1)}%` })}></span
                    ></span>
                    ${Math.round(100 * share)} %`
            }
          </td>
        </tr>`;
      }),
    )}`;
}

/** The histogram of the kubelet. */
const OPERATIONS = 'kubelet_runtime_operations_duration_seconds';

function calls(measured: MetricSet): TemplateResult {
  const operations = [...distributions(measured, OPERATIONS, 'operation_type')].sort(
    ([, a], [, b]) => b.sumSeconds - a.sumSeconds,
  );
  if (operations.length === 0)
    return html`<p class="panel summary">No calls are measured: this runtime is embedded in the agent.</p>`;
  return tablePanel(
    'Calls of the runtime',
    ['Call', 'Rate', 'Count', 'Mean', '90 % within', 'Latencies'],
    operations.map(([name, distribution]) => callLine(name, distribution)),
  );
}

function callLine(name: string, distribution: Distribution): TemplateResult {
  const { count, sumSeconds, buckets } = distribution;
  const within = quantile(distribution, 0.9);
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const rate = rates.perSecond(`${OPERATIONS}_count`, { operation_type: name });
  return html`<tr>
    <th scope="row" class="mono">${printable(name)}</th>
    <td>${rate === undefined ? '–' : `${rate.toFixed(1)} /s`}</td>
    <td>${count}</td>
    <td>${formatDuration((1000 * sumSeconds) / Math.max(1, count))}</td>
    <td>${within === Infinity ? '> 10 s' : formatDuration(1000 * within)}</td>
    <td>
      <span class="histogram" role="img" aria-label="Latencies of ${printable(name)}"
        >${buckets.map(
          (bucket) =>
            html`<i
              class=${bucket.count === 0 ? 'none' : ''}
              title="≤ ${bucket.upToSeconds} s: ${bucket.count}"
              ${styled({ height: `${String(Math.max(bucket.count === 0 ? 4 : 12, (100 * bucket.count) / most))}%` })}
            ></i>`,
        )}</span
      >
    </td>
  </tr>`;
}
