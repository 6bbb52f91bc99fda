import type { Explanation, Life } from '@rxlet/journal/model';
import type { Pod } from '@rxlet/kube-api';
import { html, nothing, type TemplateResult } from 'lit';
import type { PodRow } from '../../../src/stream/messages.ts';
import { formatSince } from '../age.ts';
import { createLifeFollower, type LifeFollower } from '../life-follower.ts';
import type { PageContext } from '../page-context.ts';
import { eventTable } from '../parts/event-table.ts';
import { podContainers } from '../parts/pod-containers.ts';
import { timeline } from '../parts/timeline.ts';
import { createPolled, type Polled } from '../poll.ts';
import { printable } from '../printable.ts';
import { hrefOf, POD_TABS, type PodTab, type Route } from '../route.ts';
import { podTone, SIGNS, type Tone } from '../tone.ts';
import type { PodUse } from '../use.ts';
import type { View } from '../view.ts';
import { toYaml } from '../yaml.ts';

const TITLES: Readonly<Record<PodTab, string>> = {
  timeline: 'Timeline',
  containers: 'Containers',
  events: 'Events',
  logs: 'Logs',
  terminal: 'Terminal',
  yaml: 'YAML',
};
/** The object is read again when its row changes; this is for what no row shows. */
const POD_PERIOD_MS = 10_000;
/** The explanation is read again when the journal has a new entry; this is for what no entry shows. */
const EXPLAIN_PERIOD_MS = 5000;
const USE_PERIOD_MS = 10_000;

type PodRoute = Extract<Route, { view: 'pod' }>;

/** Parts of the agent that the view reads while it is open. */
interface Reading {
  readonly life: LifeFollower;
  readonly explanation: Polled<Explanation>;
  readonly pod: Polled<Pod>;
  readonly use: Polled<readonly PodUse[]>;
}

let reading: Reading | undefined;
let shownRow: PodRow | undefined;
let shownLife: Life | null | undefined;

function open({ update }: PageContext): Reading {
  return (reading ??= {
    life: createLifeFollower(update),
    explanation: createPolled<Explanation>(EXPLAIN_PERIOD_MS, update),
    pod: createPolled<Pod>(POD_PERIOD_MS, update),
    use: createPolled(
      USE_PERIOD_MS,
      update,
      async (answer) => ((await answer.json()) as { readonly pods: readonly PodUse[] }).pods,
    ),
  });
}

/** The view of one pod: its present, its life, its containers, events, logs and manifest. */
export const podView: View = {
  show(page) {
    const route = page.route as PodRoute;
    const { namespace, name, tab } = route;
    const { life, explanation, pod, use } = open(page);
    const row = [...page.store.pods.values()].find(
      (candidate) => candidate.namespace === namespace && candidate.name === name,
    );
    life.show(namespace, name);
    explanation.show(['explain', ...[namespace, name].map(encodeURIComponent)].join('/'));
    if (life.life !== shownLife) {
      shownLife = life.life;
      explanation.refresh();
    }
    pod.show(['ui/pods', ...[namespace, name].map(encodeURIComponent)].join('/'));
    if (tab === 'containers') use.show('stats/summary');
    else use.stop();
    if (row !== shownRow) {
      shownRow = row;
      pod.refresh();
    }
    return html`
      ${title(page, route, row, open(page))}
      <nav class="tabs" aria-label="Parts of the pod">
        ${POD_TABS.filter((candidate) => candidate !== 'terminal' || page.session.allowsExec).map(
          (candidate) =>
            html`<a
              href=${hrefOf({ view: 'pod', namespace, name, tab: candidate })}
              aria-current=${candidate === tab ? 'page' : nothing}
              >${TITLES[candidate]}</a
            >`,
        )}
      </nav>
      ${content(page, tab, row, open(page))}
    `;
  },
  leave() {
    reading?.life.stop();
    reading?.explanation.stop();
    reading?.pod.stop();
    reading?.use.stop();
    shownRow = undefined;
  },
};

function title(
  { store }: PageContext,
  { namespace, name }: PodRoute,
  row: PodRow | undefined,
  { life: { life }, explanation: { value: explanation } }: Reading,
): TemplateResult {
  const now = store.now();
  const tone: Tone = row === undefined ? 'idle' : podTone(row);
  const status = row?.status ?? (life === undefined && store.connection.kind !== 'live' ? '' : 'Gone');
  return html`
    <div class="pod-title">
      <h1><a class="namespace" href=${hrefOf({ view: 'pods' })}>${printable(namespace)}/</a>${printable(name)}</h1>
      <span class="badge ${tone}"><span class="sign" aria-hidden="true">${SIGNS[tone]}</span>${printable(status)}</span>
      ${
        row === undefined
          ? nothing
          : html`<dl class="facts">
              <div>
                <dt>Ready</dt>
                <dd>${printable(row.ready)}</dd>
              </div>
              <div>
                <dt>Restarts</dt>
                <dd>${row.restarts}</dd>
              </div>
              <div>
                <dt>Age</dt>
                <dd>${formatSince(row.created, now)}</dd>
              </div>
              <div>
                <dt>IP</dt>
                <dd class="mono">${printable(row.ip ?? '–')}</dd>
              </div>
              <div>
                <dt>QoS</dt>
                <dd>${printable(row.qos ?? '–')}</dd>
              </div>
            </dl>`
      }
    </div>
    ${explanation === undefined ? nothing : explanationText(explanation, tone, now)}
    ${
      row?.problem === undefined
        ? nothing
        : html`<p class="sentence warn">
            The manifest is invalid, so that its last good version runs: ${printable(row.problem)}
          </p>`
    }
  `;
}

/** The explanation of the agent: what the pod does, the last failure, the next try, and what would help. */
function explanationText(
  { pod, sentence, sinceMs, lastError, help }: Explanation,
  tone: Tone,
  nowMs: number,
): TemplateResult {
  const error =
    lastError === undefined
      ? undefined
      : [lastError.reason, lastError.code, lastError.message].filter((part) => part !== undefined).join(' · ');
  return html`<div class="sentence ${tone}" role="status">
    <p>
      ${printable(capitalized(sentence))}
      <span class="dim">· since ${formatSince(sinceMs, nowMs)}</span>
    </p>
    ${error === undefined ? nothing : html`<p class="detail">${printable(error)}</p>`}
    ${help.map((remedy) => html`<p class="help">${printable(remedy.replaceAll(/\bPOD\b/g, pod.name))}</p>`)}
  </div>`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function content(
  page: PageContext,
  tab: PodTab,
  row: PodRow | undefined,
  { life, pod, use }: Reading,
): TemplateResult | typeof nothing {
  const { namespace, name } = page.route as PodRoute;
  const { store } = page;
  switch (tab) {
    case 'timeline':
      if (life.life === undefined) return nothing;
      return life.life === null
        ? html`<p class="empty">The journal has no life of this pod.</p>`
        : timeline(life.life, store.now(), page.update);
    case 'containers':
      return pod.value === undefined
        ? missing(pod.problem)
        : podContainers(
            pod.value,
            use.value?.find(({ podRef }) => podRef.uid === pod.value?.metadata?.uid),
            store.now(),
          );
    case 'events':
      return eventTable(
        [...store.events.values()].filter((event) => event.namespace === namespace && event.object === `pod/${name}`),
        store.now(),
        { hasObject: false },
      );
    case 'logs':
      void import('../parts/logs-element.ts').then(({ defineLogsElement }) => defineLogsElement());
      return row === undefined
        ? missing(undefined)
        : html`<rx-logs .pod=${{ namespace, name, containers: row.containers }}></rx-logs>`;
    case 'terminal':
      void import('../parts/terminal-element.ts').then(({ defineTerminalElement }) => defineTerminalElement());
      return row === undefined
        ? missing(undefined)
        : html`<rx-terminal .pod=${{ namespace, name, containers: row.containers }}></rx-terminal>`;
    case 'yaml':
      return pod.value === undefined
        ? missing(pod.problem)
        : html`<pre class="panel code" tabindex="0" aria-label="Manifest and status">
${printable(toYaml(pod.value))}</pre>`;
  }
}

function missing(problem: string | undefined): TemplateResult {
  return html`<p class="empty">${problem === undefined ? 'This pod is not on the node.' : printable(problem)}</p>`;
}
