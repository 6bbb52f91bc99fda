import { describe, expect, it } from 'vitest';
import { parseImageReference } from './image-reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('parseImageReference', () => {
  it.each([
    ['busybox', { repository: 'docker.io/library/busybox', tag: 'latest' }],
    ['busybox:1.36', { repository: 'docker.io/library/busybox', tag: '1.36' }],
    ['org/app', { repository: 'docker.io/org/app', tag: 'latest' }],
    ['quay.io/org/app:v1', { repository: 'quay.io/org/app', tag: 'v1' }],
    ['localhost/app', { repository: 'localhost/app', tag: 'latest' }],
    ['registry:5000/app', { repository: 'registry:5000/app', tag: 'latest' }],
    [`busybox@${DIGEST}`, { repository: 'docker.io/library/busybox', digest: DIGEST }],
    [`busybox:1@${DIGEST}`, { repository: 'docker.io/library/busybox', tag: '1', digest: DIGEST }],
  ])('completes %s', (reference, completed) => {
    expect(parseImageReference(reference)).toEqual(completed);
  });

  it.each(['', 'Upper', 'a b', 'app:', ':tag', 'app@sha256:12', '/app', 'app//x', 'http://x/y'])(
    'rejects "%s"',
    (reference) => {
      expect(() => parseImageReference(reference)).toThrow('invalid reference format');
    },
  );
});
