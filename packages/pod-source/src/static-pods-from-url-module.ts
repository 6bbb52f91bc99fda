import type { AgentModule } from '@rxlet/agent-api';
import { createHttpSource, type HttpSourceOptions } from './http-source.ts';
import type { ManifestFetcher } from './manifest-fetcher.ts';
import { sourceParts } from '@rxlet/agent-api/sources';

/** Options of {@link staticPodsFromUrl}. */
export interface StaticPodsFromUrlOptions extends Omit<HttpSourceOptions, 'nodeName'> {
  /** Default: over the machine's network. */
  readonly fetcher?: ManifestFetcher;
}

/**
 * Creates the agent module that runs the static pods of a URL (KubeletConfiguration `staticPodURL`), as the pod source `http`.
 *
 * @throws TypeError at set-up, for a URL that is not one of http or https, or a header that HTTP does not allow
 */
export function staticPodsFromUrl({ fetcher, ...options }: StaticPodsFromUrlOptions): AgentModule {
  return {
    name: 'static-pods-from-url',
    setup: ({ clock, node }) =>
      sourceParts(createHttpSource({ clock, ...(fetcher && { fetcher }) }, { ...options, nodeName: node.name })),
  };
}
