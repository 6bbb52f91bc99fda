import type { HttpEndpoint } from '@rxlet/agent-api/http';
import type { ManifestList } from './manifest-list.ts';

/** Creates the endpoint `/manifests` of the agent's own socket. Messages of a manifest may quote parts of it, so that others must not read them. */
export function manifestsEndpoint(list: () => ManifestList): HttpEndpoint {
  return {
    path: 'manifests',
    methods: ['GET'],
    produces: 'application/json',
    isLocal: true,
    handle: () => ({ contentType: 'application/json', body: JSON.stringify(list()) }),
  };
}
