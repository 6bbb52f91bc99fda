import type { JournalSpan, Life } from '@rxlet/journal/model';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import { formatDuration } from '../age.ts';
import { printable } from '../printable.ts';
import { foldTime, linearTime, type TimeScale } from '../timeline/fold-time.ts';
import { type Bar, type Lane, lanesOf, momentsOf, titleOf, toneOf } from '../timeline/lanes.ts';
import { styled } from '../styled.ts';
import { SIGNS } from '../tone.ts';

/** Choices of the reader. They stay from pod to pod. */
let isFolded = true;
let selected: string | undefined;

/** Steps below the lanes, the latest ones. */
const MAX_STEPS = 60;
const ROW_PX = 22;

/** The life of a pod on lanes, and as a list of steps. */
export function timeline(life: Life, nowMs: number, update: () => void): TemplateResult {
  const lanes = lanesOf(life, nowMs);
  const endMs = life.endMs ?? nowMs;
  const scale = isFolded ? foldTime(momentsOf(lanes), life.startMs, endMs) : linearTime(life.startMs, endMs);
  const choose = (id: string): void => {
    selected = selected === id ? undefined : id;
    update();
  };
  const span = life.spans.find(({ id }) => id === selected);
  return html`
    <section class="panel timeline" aria-label="Timeline">
      <div class="scale-choice" role="group" aria-label="Scale of time">
        ${[true, false].map(
          (fold) =>
            html`<button
              type="button"
              aria-pressed=${isFolded === fold ? 'true' : 'false'}
              @click=${() => {
                isFolded = fold;
                update();
              }}
            >
              ${fold ? 'Steps' : 'Linear'}
            </button>`,
        )}
        <span class="dim"
          >${isFolded ? 'long times are folded' : 'equal times have equal room'}, since the
          begin${life.droppedSpans > 0 ? `; the oldest ${String(life.droppedSpans)} spans are dropped` : ''}</span
        >
      </div>
      <div class="lanes">
        <div class="axis" aria-hidden="true">
          ${scale.ticks.map(
            (ms) =>
              html`<span ${styled({ left: percent(scale.place(ms)) })}
                >${ms === life.startMs ? '0' : formatDuration(ms - life.startMs)}</span
              >`,
          )}
        </div>
        ${lanes.map((lane) => laneLine(lane, scale, nowMs, choose))}
      </div>
      ${span === undefined ? nothing : details(span, life, nowMs)}
    </section>
    ${steps(life, nowMs, choose)}
  `;
}

function laneLine(lane: Lane, scale: TimeScale, nowMs: number, choose: (id: string) => void): TemplateResult {
  return html`<div class="lane" role="group" aria-label=${`Lane ${printable(lane.title)}`}>
    <span class="lane-title">${printable(lane.title)}</span>
    <div class="track" ${styled({ height: `${String(lane.rows * ROW_PX + 6)}px` })}>
      ${scale.ticks.map((ms) => html`<i class="grid" ${styled({ left: percent(scale.place(ms)) })}></i>`)}
      ${repeat(
        lane.bars,
        ({ span, shape }) => `${shape} ${span.id}`,
        (bar) => barButton(bar, scale, nowMs, choose),
      )}
    </div>
  </div>`;
}

function barButton(bar: Bar, scale: TimeScale, nowMs: number, choose: (id: string) => void): TemplateResult {
  const { span, title, tone, startMs, endMs, row, shape, progress } = bar;
  const left = scale.place(startMs);
  const width = scale.place(endMs ?? nowMs) - left;
  const length = formatDuration((endMs ?? nowMs) - startMs);
  const result = span.outcome?.result ?? (endMs === undefined ? 'lasts' : '');
  const share = progress === undefined ? '' : ` ${String(Math.round(progress * 100))} %`;
  const label = `${printable(title)}${share}${shape === 'fact' ? '' : `, ${length}`}${result === '' || result === 'ok' ? '' : `, ${printable(result)}`}${span.outcome?.reason === undefined ? '' : ` (${printable(span.outcome.reason)})`}`;
  return html`<button
    type="button"
    class="bar ${shape} ${tone} ${endMs === undefined ? 'open' : ''}"
    aria-label=${label}
    aria-pressed=${selected === span.id ? 'true' : 'false'}
    title=${label}
    ${styled({
      left: percent(left),
      ...(shape === 'fact' ? {} : { width: percent(width) }),
      top: `${String(row * ROW_PX + 3)}px`,
    })}
    @click=${() => choose(span.id)}
  >
    ${progress === undefined ? nothing : html`<span class="progress" ${styled({ width: percent(progress) })}></span>`}
    ${shape === 'fact' ? SIGNS[tone] : html`<span class="text">${printable(title)}${share}</span>`}
  </button>`;
}

function details(span: JournalSpan, life: Life, nowMs: number): TemplateResult {
  const { kind, container, startMs, endMs, attributes = {}, outcome } = span;
  const facts: readonly (readonly [string, string])[] = [
    ['kind', kind],
    ...(container === undefined ? [] : [['container', container] as const]),
    [
      'begin',
      `${new Date(startMs).toISOString().replace('T', ' ').replace('Z', ' UTC')} (+${formatDuration(startMs - life.startMs)})`,
    ],
    ['duration', endMs === undefined ? `${formatDuration(nowMs - startMs)} so far` : formatDuration(endMs - startMs)],
    ...(outcome === undefined ? [] : [['result', outcome.result] as const]),
    ...(outcome?.reason === undefined ? [] : [['reason', outcome.reason] as const]),
    ...(outcome?.code === undefined ? [] : [['CRI code', outcome.code] as const]),
    ...Object.entries(attributes).map(([name, value]) => [name, attributeText(name, value)] as const),
  ];
  return html`<div class="span-details" aria-live="polite">
    <h2><span class="word ${toneOf(span)}">${printable(titleOf(span))}</span></h2>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          html`<div>
            <dt>${printable(name)}</dt>
            <dd>${printable(value)}</dd>
          </div>`,
      )}
    </dl>
    ${outcome?.message === undefined ? nothing : html`<pre class="message">${printable(outcome.message)}</pre>`}
  </div>`;
}

function attributeText(name: string, value: string | number | boolean): string {
  return name === 'untilMs' && typeof value === 'number'
    ? `${new Date(value).toISOString().slice(11, 19)} UTC`
    : String(value);
}

/** The spans as a list, for readers of text and narrow screens. Phases are only around other spans. */
function steps(life: Life, nowMs: number, choose: (id: string) => void): TemplateResult {
  const shown = life.spans
    .filter(({ kind }) => kind !== 'pod' && !/^pod\.(?:sync|terminate|clean-up)$/.test(kind))
    .slice(-MAX_STEPS)
    .toReversed();
  return html`<h2 class="group">Steps, the latest first</h2>
    <div class="panel scroll" tabindex="0" role="region" aria-label="Steps">
      <table class="steps">
        <thead>
          <tr>
            <th scope="col">After</th>
            <th scope="col">Step</th>
            <th scope="col">Container</th>
            <th scope="col">Duration</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          ${repeat(
            shown,
            ({ id }) => id,
            (span) => {
              const { startMs, endMs, outcome } = span;
              const tone = toneOf(span);
              const isFact = startMs === endMs && outcome === undefined;
              const result =
                outcome === undefined ? (endMs === undefined ? 'lasts' : '') : (outcome.reason ?? outcome.result);
              return html`<tr>
                <td>${formatDuration(startMs - life.startMs)}</td>
                <td>
                  <button type="button" class="link" @click=${() => choose(span.id)}>
                    ${printable(span.kind.split('.')[0]!)} ${printable(titleOf(span))}
                  </button>
                </td>
                <td>${printable(span.container ?? '')}</td>
                <td>${isFact ? '' : formatDuration((endMs ?? nowMs) - startMs)}</td>
                <td class="wide">
                  <span class="word ${tone}">${printable(result)}</span> ${printable(outcome?.message ?? '')}
                </td>
              </tr>`;
            },
          )}
        </tbody>
      </table>
    </div>`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(3)}%`;
}
