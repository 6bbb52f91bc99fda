import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { selectPod } from './find-pod.ts';
import { runningPod } from './test-support.ts';

const web = runningPod('web');
const other = runningPod('db', 'shop');
const select = (name: string, namespace = 'default', pods: readonly Pod[] = [web, other]): string | undefined =>
  selectPod(pods, name, namespace).metadata?.uid;

describe('selectPod', () => {
  it.each(['web-node1', 'web', 'pod/web', 'pods/web-node1', 'po/web'])('finds it as %s', (name) => {
    expect(select(name)).toBe('default-web');
  });

  it('prefers the whole name', () => {
    const named = { ...web, metadata: { ...web.metadata, name: 'web', uid: 'exact' } };
    expect(select('web', 'default', [web, named])).toBe('exact');
    expect(select('web-node1', 'default', [web, named])).toBe('default-web');
  });

  it('prefers the pod that stays to the one that it replaces', () => {
    const leaving = { ...web, metadata: { ...web.metadata, uid: 'old', deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(select('web', 'default', [web, leaving])).toBe('default-web');
    expect(select('web', 'default', [leaving, web])).toBe('default-web');
    expect(select('web', 'default', [leaving])).toBe('old');
  });

  it.each([
    ['nothing', 'default', 'there is no pod "nothing" in namespace "default"; there are: web-node1'],
    [
      'db',
      'default',
      'there is no pod "db" in namespace "default"; there is one in namespace "shop" (choose it with -n)',
    ],
    [
      'web',
      'empty',
      'there is no pod "web" in namespace "empty"; there is one in namespace "default" (choose it with -n)',
    ],
    ['x', 'empty', 'there is no pod "x" in namespace "empty"'],
  ])('reports what there is instead of %s in %s', (name, namespace, message) => {
    expect(() => select(name, namespace)).toThrow(expect.objectContaining({ name: 'AgentConnectionError', message }));
  });
});
