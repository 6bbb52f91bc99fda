import { describe, expect, it } from 'vitest';
import { applyDefaultTag, parseImageReference } from './image-reference.ts';

describe('applyDefaultTag', () => {
  it.each([
    ['nginx', 'nginx:latest'],
    ['localhost:5000/nginx', 'localhost:5000/nginx:latest'],
    ['nginx:1.25', 'nginx:1.25'],
    [`nginx@sha256:${'a'.repeat(64)}`, `nginx@sha256:${'a'.repeat(64)}`],
  ])('%s', (image, want) => {
    expect(applyDefaultTag(image)).toBe(want);
  });
});

describe('parseImageReference', () => {
  const hex = 'a'.repeat(64);

  it.each([
    ['nginx', { domain: 'docker.io', path: 'library/nginx' }],
    ['me/nginx:1', { domain: 'docker.io', path: 'me/nginx', tag: '1' }],
    ['docker.io/nginx', { domain: 'docker.io', path: 'library/nginx' }],
    ['index.docker.io/nginx', { domain: 'docker.io', path: 'library/nginx' }],
    ['localhost/nginx', { domain: 'localhost', path: 'nginx' }],
    ['[::1]:5000/nginx', { domain: '[::1]:5000', path: 'nginx' }],
    ['EXAMPLE/nginx', { domain: 'EXAMPLE', path: 'nginx' }],
    [`r.io:5/a/b:t@sha256:${hex}`, { domain: 'r.io:5', path: 'a/b', tag: 't', digest: `sha256:${hex}` }],
  ])('%s', (text, want) => {
    expect(parseImageReference(text)).toEqual(want);
  });

  it.each([
    ['', 'invalid reference format'],
    ['Nginx', 'repository name (library/Nginx) must be lowercase'],
    [hex, 'cannot specify 64-byte hexadecimal strings'],
    [`nginx@md5:${'0'.repeat(32)}`, 'unsupported digest algorithm'],
    [`nginx@sha256:${'0'.repeat(63)}`, 'invalid checksum digest length'],
    [`nginx@sha256:${'A'.repeat(64)}`, 'invalid checksum digest format'],
    [`r.io/${'a'.repeat(256)}`, 'must not be more than 255 characters'],
    ['nginx:-1', 'invalid reference format'],
    ['nginx:1 ', 'invalid reference format'],
    ['nginx:1\n', 'invalid reference format'],
  ])('rejects %j', (text, message) => {
    expect(() => parseImageReference(text)).toThrow(message);
  });

  it('rejects a long text quickly', () => {
    expect(() => parseImageReference(`${'a-'.repeat(50_000)}!`)).toThrow('invalid reference format');
    expect(() => parseImageReference(`${'a/'.repeat(50_000)}!`)).toThrow('invalid reference format');
    expect(() => parseImageReference(`${'a.a'.repeat(50_000)}!`)).toThrow('invalid reference format');
  });
});
