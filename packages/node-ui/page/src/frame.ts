import { html, nothing, type TemplateResult } from 'lit';
import { formatAge } from './age.ts';
import { browserNow } from './browser-clock.ts';
import type { PageContext } from './page-context.ts';
import { printable } from './printable.ts';
import { hrefOf, type Route } from './route.ts';
import type { Connection } from './store.ts';

const TABS: readonly {
  readonly view: Route['view'] & ('pods' | 'node' | 'events' | 'inside');
  readonly title: string;
}[] = [
  { view: 'pods', title: 'Pods' },
  { view: 'node', title: 'Node' },
  { view: 'events', title: 'Events' },
  { view: 'inside', title: 'Inside' },
];

/** The frame of all views: name of the node, navigation, state of the connection. */
export function frame({ store, route }: PageContext, content: TemplateResult | typeof nothing): TemplateResult {
  const { connection, node } = store;
  return html`
    <a class="skip" href="#content" @click=${skip}>Skip to the content</a>
    <header>
      <a class="brand" href=${hrefOf({ view: 'pods' })}><span class="mark" aria-hidden="true"></span>rxlet</a>
      <span class="node-name">${printable(node)}</span>
      <nav aria-label="Views">
        ${TABS.map(({ view, title }) => {
          const isCurrent = route.view === view || (view === 'pods' && route.view === 'pod');
          return html`<a href=${hrefOf({ view })} aria-current=${isCurrent ? 'page' : nothing}>${title}</a>`;
        })}
      </nav>
      <span class="connection ${connection.kind}" role="status">${connectionWord(connection)}</span>
    </header>
    ${
      connection.kind === 'lost'
        ? html`<p class="banner" role="alert">
            The agent does not answer since ${formatAge(browserNow() - connection.sinceMs)}:
            ${printable(connection.reason)}. This is what it last reported; the page retries by itself.
          </p>`
        : nothing
    }
    <main id="content" tabindex="-1" class=${connection.kind === 'lost' ? 'stale' : ''}>
      ${connection.kind === 'closed' ? noSession() : content}
    </main>
  `;
}

/** The fragment of the address is the route, so that a link within the page must not change it. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function connectionWord({ kind }: Connection): string {
  return { connecting: 'connecting', live: 'live', lost: 'disconnected', closed: 'no session' }[kind];
}

function noSession(): TemplateResult {
  return html`<div class="empty">
    <h1>This browser has no session</h1>
    <p>Run <code>rxlet ui</code> on the node and open the address that it prints. An address opens the page once.</p>
  </div>`;
}
