import { type AgentModule, contribute } from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { journalSinks } from '@rxlet/agent-api/journal';
import { journalEndpoint } from './endpoints/journal-endpoint.ts';
import { createJournalStore, type JournalStoreLimits } from './store/journal-store.ts';

/** Options of {@link journal}. */
export type JournalOptions = JournalStoreLimits;

/** Creates the agent module that keeps the journal of each pod, and shows it at the endpoint `/journal`. */
export function journal(options: JournalOptions = {}): AgentModule {
  return {
    name: 'journal',
    setup({ clock, logger }) {
      const store = createJournalStore({ clock }, options);
      return {
        contributions: [
          contribute(journalSinks, store.apply),
          contribute(httpEndpoints, journalEndpoint({ store, logger })),
        ],
        [Symbol.asyncDispose]: () => {
          store.close();
          return Promise.resolve();
        },
      };
    },
  };
}
