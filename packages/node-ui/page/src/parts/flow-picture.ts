import { html, svg, type TemplateResult } from 'lit';
import type { InsideReport } from '../../../src/endpoints/node-report.ts';
import { formatAge, formatDuration } from '../age.ts';
import { type MetricSet, total } from '../metrics.ts';
import { printable } from '../printable.ts';
import type { Rates } from '../rates.ts';

/** A part of the agent in the picture. */
interface Box {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly lines: readonly string[];
  readonly hasProblem?: boolean;
}

/** A flow of data from one part to another. */
interface Arrow {
  /** Path of the line. */
  readonly path: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  /** Flow in things a second; it moves when there is some. */
  readonly rate: number | undefined;
}

const WIDTH = 190;
const HEIGHT = 76;

/** Sections of the debug state, as far as they are shown. */
interface Sections {
  readonly runtime?: { readonly problem?: string; readonly networkProblem?: string };
  readonly sources?: { readonly ready?: boolean; readonly pods?: number; readonly problems?: readonly unknown[] };
  readonly pleg?: {
    readonly problem?: string;
    readonly relistPeriodMs?: number;
    readonly followingHints?: boolean;
    readonly unreadablePods?: readonly unknown[];
  };
  readonly queues?: {
    readonly podSteps?: { readonly running?: number; readonly oldestAgeMs?: number };
    readonly admission?: { readonly depth?: number };
    readonly podsDue?: { readonly depth?: number };
  };
  readonly imagePulls?: {
    readonly queued?: { readonly depth?: number };
    readonly running?: { readonly depth?: number; readonly oldestAgeMs?: number };
  };
}

/** The picture of the agent: pods flow from the sources to the runtime, and its changes flow back. */
export function flowPicture(report: InsideReport, metrics: MetricSet, rates: Rates): TemplateResult {
  const boxes = boxesOf(report, metrics);
  const arrows = arrowsOf(metrics, rates);
  const text = boxes.map(({ title, lines }) => `${title}: ${lines.join(', ')}`).join('. ');
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Picture of the agent">
    <svg viewBox="0 0 960 356" role="img" aria-label=${printable(text)}>
      <defs>
        <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 8 4 0 8z" class="arrow-head" />
        </marker>
      </defs>
      ${arrows.map(
        ({ path, label, x, y, rate }) => svg`<g class="flow-arrow ${rate !== undefined && rate > 0 ? 'moves' : ''}">
          <path d=${path} marker-end="url(#head)" />
          <text x=${x} y=${y}>${printable(label)}<tspan class="rate" dx="4">${rate === undefined ? '' : `${rate < 10 ? rate.toFixed(1) : String(Math.round(rate))}/s`}</tspan></text>
        </g>`,
      )}
      ${boxes.map(
        ({ x, y, title, lines, hasProblem }) => svg`<g class="flow-box ${hasProblem === true ? 'problem' : ''}">
          <rect x=${x} y=${y} width=${WIDTH} height=${HEIGHT} rx="7" />
          <text class="title" x=${x + 12} y=${y + 22}>${title}</text>
          ${lines.map((line, index) => svg`<text x=${x + 12} y=${y + 42 + 17 * index}>${printable(line).slice(0, 34)}</text>`)}
        </g>`,
      )}
    </svg>
  </div>`;
}

function boxesOf({ sections, workers, nowMs }: InsideReport, metrics: MetricSet): readonly Box[] {
  const { runtime = {}, sources = {}, pleg = {}, queues = {}, imagePulls = {} } = sections as Sections;
  const { problems = [] } = sources;
  const runtimeProblem = runtime.problem ?? runtime.networkProblem;
  const { unreadablePods = [] } = pleg;
  const lastRelistMs = nowMs - 1000 * total(metrics, 'kubelet_pleg_last_seen_seconds');
  const states = Object.entries(workers).map(([state, count]) => `${String(count)} ${state}`);
  return [
    {
      id: 'sources',
      x: 10,
      y: 20,
      title: 'Pod sources',
      lines: [
        `${count(sources.pods, 'pod')}${sources.ready === true ? '' : ', not ready'}`,
        problems.length === 0 ? 'no problem' : count(problems.length, 'problem'),
      ],
      hasProblem: problems.length > 0,
    },
    {
      id: 'loop',
      x: 385,
      y: 20,
      title: 'Sync loop',
      lines: [
        `admission: ${String(queues.admission?.depth ?? 0)} waiting`,
        `${String(queues.podsDue?.depth ?? 0)} resyncs due`,
      ],
    },
    {
      id: 'pleg',
      x: 760,
      y: 20,
      title: 'PLEG',
      lines: [
        pleg.problem ?? `relist each ${formatDuration(pleg.relistPeriodMs ?? 0)}, last ${formatAge(lastRelistMs)} ago`,
        unreadablePods.length > 0
          ? count(unreadablePods.length, 'unreadable pod')
          : pleg.followingHints === true
            ? 'follows container events'
            : 'polls',
      ],
      hasProblem: pleg.problem !== undefined || unreadablePods.length > 0,
    },
    {
      id: 'workers',
      x: 385,
      y: 140,
      title: 'Pod workers',
      lines: [
        states.join(', ') || 'none',
        `${String(queues.podSteps?.running ?? 0)} run a step, the oldest for ${formatAge(queues.podSteps?.oldestAgeMs ?? 0)}`,
      ],
    },
    {
      id: 'status',
      x: 10,
      y: 260,
      title: 'Status manager',
      lines: [
        `${String(total(metrics, 'kubelet_pod_status_sync_duration_seconds_count'))} statuses sent`,
        'to sinks and this page',
      ],
    },
    {
      id: 'manager',
      x: 385,
      y: 260,
      title: 'Runtime manager',
      lines: [
        `${String(total(metrics, 'kubelet_started_containers_total'))} containers started`,
        `pulls: ${String(imagePulls.running?.depth ?? 0)} run, ${String(imagePulls.queued?.depth ?? 0)} queued`,
      ],
    },
    {
      id: 'runtime',
      x: 760,
      y: 260,
      title: 'Container runtime',
      lines: [
        runtimeProblem ?? 'ready',
        `${String(total(metrics, 'kubelet_running_containers', { container_state: 'running' }))} containers run`,
      ],
      hasProblem: runtimeProblem !== undefined,
    },
  ];
}

function arrowsOf(metrics: MetricSet, rates: Rates): readonly Arrow[] {
  const hasCalls = metrics.has('kubelet_runtime_operations_total');
  return [
    { path: 'M200 58H385', label: 'updates', x: 258, y: 50, rate: rates.perSecond('rxlet_pod_updates_total') },
    {
      path: 'M760 58H575',
      label: 'events',
      x: 628,
      y: 50,
      rate: rates.perSecond('kubelet_pleg_pod_relist_duration_seconds_count'),
    },
    {
      path: 'M480 96V140',
      label: 'work',
      x: 490,
      y: 123,
      rate: rates.perSecond('kubelet_pod_worker_start_duration_seconds_count'),
    },
    {
      path: 'M480 216V260',
      label: 'syncs',
      x: 490,
      y: 243,
      rate: rates.perSecond('kubelet_pod_worker_duration_seconds_count'),
    },
    {
      path: 'M385 190H105V260',
      label: 'statuses',
      x: 190,
      y: 182,
      rate: rates.perSecond('rxlet_pod_status_changes_total'),
    },
    {
      path: 'M575 298H760',
      label: 'calls',
      x: 628,
      y: 290,
      rate: hasCalls
        ? rates.perSecond('kubelet_runtime_operations_total')
        : rates.perSecond('kubelet_started_containers_total'),
    },
    {
      path: 'M855 260V96',
      label: 'relists',
      x: 865,
      y: 182,
      rate: rates.perSecond('kubelet_pleg_relist_duration_seconds_count'),
    },
  ];
}

function count(amount: number | undefined, noun: string): string {
  return `${String(amount ?? 0)} ${noun}${amount === 1 ? '' : 's'}`;
}
