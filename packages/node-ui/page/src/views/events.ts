import { html } from 'lit';
import { eventTable } from '../parts/event-table.ts';
import type { View } from '../view.ts';

let filter = '';
let onlyWarnings = false;

/** The view of all events. */
export const eventsView: View = {
  show({ store, update }) {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const events = [...store.events.values()].filter(({ namespace, object, type, reason, message }) => {
      const text = `${namespace} ${object} ${reason} ${message}`.toLowerCase();
      return (!onlyWarnings || type === 'Warning') && words.every((word) => text.includes(word));
    });
    return html`
      <h1 class="visually-hidden">Events</h1>
      <div class="toolbar">
        <input
          type="search"
          class="filter"
          placeholder="Filter by object, reason or message  ( / )"
          aria-label="Filter events"
          .value=${filter}
          @input=${(event: InputEvent) => {
            filter = (event.target as HTMLInputElement).value;
            update();
          }}
        />
        <div class="chips" role="group" aria-label="Types of events">
          ${[false, true].map(
            (warnings) =>
              html`<button
                type="button"
                class="chip"
                aria-pressed=${onlyWarnings === warnings ? 'true' : 'false'}
                @click=${() => {
                  onlyWarnings = warnings;
                  update();
                }}
              >
                ${warnings ? 'Warnings' : 'All'}
              </button>`,
          )}
        </div>
      </div>
      ${eventTable(events, store.now(), { hasObject: true })}
    `;
  },
};
