import type { Explanation, Life } from '@rxlet/journal/model';
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { PodRow } from '../../../src/stream/messages.ts';
import { formatDuration, formatSince } from '../age.ts';
import type { PageContext } from '../page-context.ts';
import { createPolled, type Polled } from '../poll.ts';
import { printable } from '../printable.ts';
import { hrefOf } from '../route.ts';
import { podTone, SIGNS, type Tone } from '../tone.ts';
import type { View } from '../view.ts';

/** A column of the table and its order. */
interface Column {
  readonly key: string;
  readonly title: string;
  readonly compare: (a: PodRow, b: PodRow) => number;
}

const byText = (text: (pod: PodRow) => string) => (a: PodRow, b: PodRow) => text(a).localeCompare(text(b));
const TONE_ORDER: readonly Tone[] = ['bad', 'warn', 'busy', 'ok', 'idle'];
const toneRank = (pod: PodRow): number => TONE_ORDER.indexOf(podTone(pod));
const readyShare = ({ ready }: PodRow): number => {
  const [some = 0, all = 1] = ready.split('/').map(Number);
  return some / (all || 1);
};
const timeOf = (time: string | undefined): number => (time === undefined ? 0 : Date.parse(time));

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'Pod', compare: byText(({ namespace, name }) => `${namespace}/${name}`) },
  { key: 'ready', title: 'Ready', compare: (a, b) => readyShare(a) - readyShare(b) },
  { key: 'status', title: 'Status', compare: (a, b) => toneRank(a) - toneRank(b) || a.status.localeCompare(b.status) },
  { key: 'restarts', title: 'Restarts', compare: (a, b) => b.restarts - a.restarts },
  { key: 'age', title: 'Age', compare: (a, b) => timeOf(b.created) - timeOf(a.created) },
  { key: 'ip', title: 'IP', compare: byText(({ ip = '' }) => ip) },
  { key: 'now', title: 'Now', compare: (a, b) => toneRank(a) - toneRank(b) },
];

/** Order and filter of the table. */
interface TableChoice {
  readonly sort: string;
  readonly isDescending: boolean;
  readonly filter: string;
  readonly tone: Tone | undefined;
}

let choice: TableChoice = { sort: 'name', isDescending: false, filter: '', tone: undefined };

/** Returns the rows that match a filter: every word of it must be in the row. */
export function filterPods(pods: Iterable<PodRow>, filter: string): readonly PodRow[] {
  return [...pods].filter(({ namespace, name, status, ip = '' }) =>
    filterText(filter, `${namespace}/${name} ${status} ${ip}`),
  );
}

/** A life in the answer of `/journal`. */
type LifeSummary = Omit<Life, 'spans'>;

/** The lives are read again when a pod goes; this is for what was missed. */
const LIVES_PERIOD_MS = 300_000;
const EXPLAIN_PERIOD_MS = 5000;
/** Lives of pods that are gone, the latest ones. */
const MAX_GONE = 50;

let explained: Polled<ReadonlyMap<string, string>> | undefined;
let lives: Polled<readonly LifeSummary[]> | undefined;
let shownPods = 0;

/** The view of all pods, and of those that are gone. */
export const podsView: View = {
  show(page) {
    lives ??= createPolled(
      LIVES_PERIOD_MS,
      page.update,
      async (answer) => ((await answer.json()) as { readonly items: readonly LifeSummary[] }).items,
    );
    lives.show('journal');
    explained ??= createPolled(EXPLAIN_PERIOD_MS, page.update, async (answer) => {
      const { pods } = (await answer.json()) as { readonly pods: readonly Explanation[] };
      return new Map(pods.map((explanation) => [explanation.pod.uid, explanation.sentence]));
    });
    // The agent explains only pods that are not as desired.
    const hasTroubles = [...page.store.pods.values()].some((pod) => !['ok', 'idle'].includes(podTone(pod)));
    if (hasTroubles) explained.show('explain');
    else explained.stop();
    const { size } = page.store.pods;
    if (size < shownPods) lives.refresh();
    shownPods = size;
    return html`${livePods(page)}${gonePods(page, lives.value ?? [])}`;
  },
  leave() {
    lives?.stop();
    explained?.stop();
  },
};

function gonePods({ store }: PageContext, all: readonly LifeSummary[]): TemplateResult | typeof nothing {
  const now = store.now();
  const gone = all
    .filter(({ endMs }) => endMs !== undefined)
    .filter(({ namespace, name }) => filterText(choice.filter, `${namespace}/${name}`))
    .sort((a, b) => b.endMs! - a.endMs!)
    .slice(0, MAX_GONE);
  if (gone.length === 0 || choice.tone !== undefined) return nothing;
  return html`<h2 class="group">Gone, and still in the journal</h2>
    <div class="table gone-table" role="table" aria-label="Pods that are gone">
      ${repeat(
        gone,
        ({ id }) => id,
        ({ namespace, name, startMs, endMs = 0 }) =>
          html`<div class="row" role="row">
            <div class="cell name" role="cell">
              <a href=${hrefOf({ view: 'pod', namespace, name, tab: 'timeline' })}
                ><span class="namespace">${printable(namespace)}/</span>${printable(name)}</a
              >
            </div>
            <div class="cell" role="cell"><span class="dim">gone for</span> ${formatSince(endMs, now)}</div>
            <div class="cell" role="cell"><span class="dim">was here for</span> ${formatDuration(endMs - startMs)}</div>
          </div>`,
      )}
    </div>`;
}

function filterText(filter: string, text: string): boolean {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));
}

function livePods(page: PageContext): TemplateResult {
  const { store } = page;
  const change = (next: Partial<TableChoice>): void => {
    choice = { ...choice, ...next };
    page.update();
  };
  const matching = filterPods(store.pods.values(), choice.filter);
  const tones = Map.groupBy(matching, podTone);
  const shown = choice.tone === undefined ? matching : (tones.get(choice.tone) ?? []);
  const compare = COLUMNS.find(({ key }) => key === choice.sort)?.compare ?? COLUMNS[0]!.compare;
  const sorted = shown.toSorted(
    (a, b) => (choice.isDescending ? -compare(a, b) : compare(a, b)) || COLUMNS[0]!.compare(a, b),
  );
  const now = store.now();
  return html`
    <h1 class="visually-hidden">Pods</h1>
    <div class="toolbar">
      <input
        type="search"
        class="filter"
        placeholder="Filter by name, status or IP  ( / )"
        aria-label="Filter pods"
        .value=${choice.filter}
        @input=${(event: InputEvent) => change({ filter: (event.target as HTMLInputElement).value })}
      />
      <div class="chips" role="group" aria-label="Pods by state">
        ${chip(`All`, matching.length, undefined, change)}
        ${TONE_ORDER.map((tone) => chip(TONE_WORDS[tone], tones.get(tone)?.length ?? 0, tone, change))}
      </div>
    </div>
    <div
      class="table pods-table"
      role="table"
      aria-label="Pods"
      aria-rowcount=${sorted.length + 1}
      @keydown=${moveFocus}
    >
      <div class="row head" role="row">${COLUMNS.map((column) => header(column, change))}</div>
      ${repeat(
        sorted,
        ({ uid }) => uid,
        (pod) => {
          const age = formatSince(pod.created, now);
          const last = pod.lastRestart === undefined ? '' : ` (${formatSince(pod.lastRestart, now)} ago)`;
          const sentence = explained?.value?.get(pod.uid) ?? '';
          return guard([pod, age, last, sentence], () => podLine(pod, age, last, sentence));
        },
      )}
    </div>
    ${sorted.length > 0 ? nothing : emptyNote(page)}
  `;
}

const TONE_WORDS: Readonly<Record<Tone, string>> = {
  ok: 'Ready',
  busy: 'Starting',
  warn: 'Not ready',
  bad: 'Failing',
  idle: 'Completed',
};

function chip(
  word: string,
  count: number,
  tone: Tone | undefined,
  change: (next: Partial<TableChoice>) => void,
): TemplateResult {
  return html`<button
    type="button"
    class="chip ${tone ?? ''}"
    aria-pressed=${choice.tone === tone ? 'true' : 'false'}
    @click=${() => change({ tone })}
  >
    ${tone === undefined ? nothing : html`<span class="sign ${tone}" aria-hidden="true">${SIGNS[tone]}</span>`}${word}
    <b>${count}</b>
  </button>`;
}

function header({ key, title }: Column, change: (next: Partial<TableChoice>) => void): TemplateResult {
  const isSorted = choice.sort === key;
  const direction = choice.isDescending ? 'descending' : 'ascending';
  return html`<div class="cell ${key}" role="columnheader" aria-sort=${isSorted ? direction : 'none'}>
    <button type="button" @click=${() => change({ sort: key, isDescending: isSorted && !choice.isDescending })}>
      ${title}<span class="arrow" aria-hidden="true">${isSorted ? (choice.isDescending ? '▾' : '▴') : ''}</span>
    </button>
  </div>`;
}

function podLine(pod: PodRow, age: string, last: string, sentence: string): TemplateResult {
  const { namespace, name, ready, status, restarts, ip = '–', problem } = pod;
  const tone = podTone(pod);
  return html`<div class="row" role="row">
    <div class="cell name" role="cell">
      <a href=${hrefOf({ view: 'pod', namespace, name, tab: 'timeline' })}
        ><span class="namespace">${printable(namespace)}/</span>${printable(name)}</a
      >${problem === undefined ? nothing : html`<span class="note" title=${printable(problem)}>invalid manifest</span>`}
    </div>
    <div class="cell ready" role="cell">${printable(ready)}</div>
    <div class="cell status" role="cell">
      <span class="sign ${tone}" aria-hidden="true">${SIGNS[tone]}</span
      ><span class="word ${tone}">${printable(status)}</span>
    </div>
    <div class="cell restarts" role="cell">${restarts}<span class="dim">${last}</span></div>
    <div class="cell age" role="cell">${age}</div>
    <div class="cell ip" role="cell">${printable(ip)}</div>
    <div class="cell now" role="cell" title=${printable(sentence)}>${printable(sentence)}</div>
  </div>`;
}

function emptyNote({ store }: PageContext): TemplateResult | typeof nothing {
  if (store.connection.kind === 'connecting') return nothing;
  return html`<p class="empty">${store.pods.size === 0 ? 'This node has no pods.' : 'No pod matches the filter.'}</p>`;
}

/** Moves the focus from row to row with the arrow keys. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const table = event.currentTarget as HTMLElement;
  const links = [...table.querySelectorAll<HTMLElement>('.name a')];
  const current = links.findIndex((link) => link === document.activeElement);
  const next = links[current + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
