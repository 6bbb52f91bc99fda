import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { describePodLines } from './pod-description.ts';
import { pods } from '../resources/pods.ts';
import { cellTexts } from '../resources/resource-kind.ts';
import { usablePod } from './usable-pod.ts';

const metadata = { name: 'web', namespace: 'default', uid: 'u' };
const spec = { containers: [{ name: 'app', image: 'busybox:1.36' }] };
const broken = (status: unknown, more: object = {}): Pod => ({ metadata, spec, ...more, status: status as never });

describe('a pod of a wrong shape', () => {
  it('keeps the fields of its status that can be used', () => {
    const status = { phase: 'Running', containerStatuses: [null], conditions: null, podIP: '10.0.0.1' };
    expect(usablePod(broken(status)).status).toEqual({ phase: 'Running', podIP: '10.0.0.1' });
  });

  it.each<[string, Pod]>([
    ['an entry without a status', broken({ phase: 'Running', containerStatuses: [null] })],
    ['a list that is a mapping', broken({ phase: 'Running', initContainerStatuses: {}, conditions: 'x' })],
    ['a status that is a list', broken([])],
    ['no status', broken(null)],
    ['a container that is null', broken({ phase: 'Running' }, { spec: { containers: [null] } })],
    ['labels that are a text', broken({ phase: 'Running' }, { metadata: { ...metadata, labels: 'x' } })],
  ])('is shown all the same: %s', (_what, pod) => {
    expect(cellTexts(pods, pod, 0, true)).toHaveLength(8);
    expect(describePodLines(pod, [], 0)).toContainEqual(expect.stringMatching(/^Name: +web$/));
  });
});
