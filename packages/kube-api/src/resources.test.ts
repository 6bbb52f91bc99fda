import { describe, expect, it } from 'vitest';
import type { Pod } from './index.ts';
import { apiVersionOf, type KubeResource, resources } from './resources.ts';
import { findTable, fieldOf } from './tables.ts';

describe('resources', () => {
  const all = Object.values<KubeResource<unknown>>({ ...resources });

  // The schemas have no others: clusters serve those only on request.
  it.each(all.filter(({ version }) => version === 'v1'))('$plural have a table', (resource) => {
    const table = findTable(apiVersionOf(resource), resource.kind);
    expect(table && fieldOf(table, 'metadata')).toMatchObject({ type: 'object-ref' });
  });

  it('know the type of their objects', () => {
    const pods: KubeResource<Pod> = resources.pods;
    // @ts-expect-error nodes are no pods
    const nodes: KubeResource<Pod> = resources.nodes;
    expect([pods.plural, nodes.plural]).toEqual(['pods', 'nodes']);
  });

  it('use the path of their group', () => {
    expect([apiVersionOf(resources.pods), apiVersionOf(resources.leases)]).toEqual(['v1', 'coordination.k8s.io/v1']);
  });
});
