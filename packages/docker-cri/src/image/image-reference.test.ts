import { describe, expect, it } from 'vitest';
import { fullName, isImageId, parseImageReference } from './image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('parseImageReference', () => {
  it.each([
    ['busybox', 'docker.io/library/busybox', 'latest', undefined],
    ['user/app:v1', 'docker.io/user/app', 'v1', undefined],
    ['localhost/app', 'localhost/app', 'latest', undefined],
    ['localhost:5000/a/b:1', 'localhost:5000/a/b', '1', undefined],
    [`quay.io/a/b@${digest}`, 'quay.io/a/b', undefined, digest],
    [`quay.io/a/b:1@${digest}`, 'quay.io/a/b', '1', digest],
  ])('completes %s', (text, repository, tag, ownDigest) => {
    expect(parseImageReference(text)).toEqual({ repository, tag, digest: ownDigest });
  });

  it.each(['', 'Upper', 'not a reference', 'a//b', '../etc', 'a?b=c', 'a:'])('rejects %j', (text) => {
    expect(() => parseImageReference(text)).toThrow(`failed to parse image reference ${JSON.stringify(text)}`);
  });
});

it("returns full names for Docker's", () => {
  expect(fullName('busybox:1.36')).toBe('docker.io/library/busybox:1.36');
  expect(fullName(`busybox@${digest}`)).toBe(`docker.io/library/busybox@${digest}`);
  expect(fullName('<none>:<none>')).toBeUndefined();
});

it('recognises whole ids', () => {
  expect([digest, 'a'.repeat(64), 'abc', 'sha256:abc'].map(isImageId)).toEqual([true, true, false, false]);
});
