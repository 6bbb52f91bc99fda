import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { EventRow } from '../../../src/stream/messages.ts';
import { formatSince } from '../age.ts';
import { printable } from '../printable.ts';
import { hrefOf } from '../route.ts';

/** A table of events, the latest first. */
export function eventTable(
  events: Iterable<EventRow>,
  nowMs: number,
  { hasObject }: { readonly hasObject: boolean },
): TemplateResult {
  const sorted = [...events].sort((a, b) => b.lastMs - a.lastMs);
  if (sorted.length === 0) return html`<p class="empty">No events.</p>`;
  const titles = ['Last seen', 'Type', 'Reason', ...(hasObject ? ['Object'] : []), 'Message'];
  return html`<div
    class="table events-table ${hasObject ? 'with-object' : ''}"
    role="table"
    aria-label="Events"
    aria-rowcount=${sorted.length + 1}
  >
    <div class="row head" role="row">
      ${titles.map((title) => html`<div class="cell" role="columnheader">${title}</div>`)}
    </div>
    ${repeat(
      sorted,
      (event) => `${event.namespace} ${event.object} ${event.reason} ${String(event.firstMs)} ${event.message}`,
      (event) => {
        const seen = formatSince(event.lastMs, nowMs);
        const over = event.count > 1 ? `×${String(event.count)} in ${formatSince(event.firstMs, nowMs)}` : '';
        return guard([event, seen, over], () => eventLine(event, seen, over, hasObject));
      },
    )}
  </div>`;
}

function eventLine(event: EventRow, seen: string, over: string, hasObject: boolean): TemplateResult {
  const { namespace, object, type, reason, message } = event;
  const isWarning = type === 'Warning';
  return html`<div class="row" role="row">
    <div class="cell seen" role="cell">${seen} <span class="dim">${over}</span></div>
    <div class="cell type" role="cell">
      <span class="sign ${isWarning ? 'bad' : 'idle'}" aria-hidden="true">${isWarning ? '▲' : '○'}</span
      >${printable(type)}
    </div>
    <div class="cell reason" role="cell">${printable(reason)}</div>
    ${hasObject ? html`<div class="cell object" role="cell">${objectLink(namespace, object)}</div>` : nothing}
    <div class="cell message" role="cell">${printable(message)}</div>
  </div>`;
}

function objectLink(namespace: string, object: string): TemplateResult {
  const [kind, name = ''] = object.split('/', 2);
  if (kind !== 'pod') return html`${printable(object)}`;
  return html`<a href=${hrefOf({ view: 'pod', namespace, name, tab: 'timeline' })}
    ><span class="namespace">${printable(namespace)}/</span>${printable(name)}</a
  >`;
}
