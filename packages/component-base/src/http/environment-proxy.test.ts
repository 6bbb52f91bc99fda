import { describe, expect, it } from 'vitest';
import { environmentProxy } from './environment-proxy.ts';

const PROXY = 'http://proxy.example:3128';
const proxyFor = (url: string, env: Readonly<Record<string, string>>): string | undefined =>
  environmentProxy(new URL(url), env);

describe('the proxy of the environment', () => {
  it.each([
    ['https://api.example:6443', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://api.example:6443', { https_proxy: PROXY }, PROXY],
    ['https://api.example:6443', { HTTPS_PROXY: '', https_proxy: PROXY }, PROXY],
    ['https://api.example:6443', { HTTP_PROXY: PROXY }, undefined],
    ['http://api.example', { HTTP_PROXY: PROXY }, PROXY],
    ['http://api.example', { HTTPS_PROXY: PROXY }, undefined],
    ['https://api.example', { HTTPS_PROXY: 'proxy.example:3128' }, PROXY],
    ['https://api.example', { HTTPS_PROXY: '10.0.0.1:3128' }, 'http://10.0.0.1:3128'],
    ['https://api.example', { HTTPS_PROXY: 'socks5://proxy.example:1080' }, 'socks5://proxy.example:1080'],
    ['https://api.example', { HTTPS_PROXY: 'http://[' }, undefined],
    ['https://api.example', {}, undefined],
  ])('for %s with %j is %s', (url, env, proxy) => {
    expect(proxyFor(url, env)).toBe(proxy);
  });

  it.each([
    'https://localhost:6443',
    'https://127.0.0.1:6443',
    'https://127.9.9.9',
    'https://[::1]:6443',
    'https://[::ffff:127.0.0.1]',
  ])('is not used for %s', (url) => {
    expect(proxyFor(url, { HTTPS_PROXY: PROXY })).toBeUndefined();
  });

  it.each([
    ['*', 'https://api.example', true],
    ['10.0.0.0/8', 'https://10.20.30.40:6443', true],
    ['10.0.0.0/8', 'https://11.0.0.1:6443', false],
    ['10.0.0.0/33', 'https://10.0.0.1', false],
    ['10.0.0.0/8', 'https://ten.example', false],
    ['fd00::/8', 'https://[fd12::1]:6443', true],
    ['0.0.0.0/0', 'https://[fd12::1]:6443', false],
    ['10.0.0.1', 'https://10.0.0.1:6443', true],
    ['10.0.0.1', 'https://10.0.0.10:6443', false],
    ['10.0.0.1:6443', 'https://10.0.0.1:6443', true],
    ['10.0.0.1:443', 'https://10.0.0.1:6443', false],
    ['10.0.0.1:443', 'https://10.0.0.1', true],
    ['fd00:0::1', 'https://[fd00::1]:6443', true],
    ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
    ['[fd00::1]:443', 'https://[fd00::1]:6443', false],
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://API.Example.com', true],
    ['example.com', 'https://badexample.com', false],
    ['.example.com', 'https://api.example.com', true],
    ['.example.com', 'https://example.com', false],
    ['*.example.com', 'https://api.example.com', true],
    ['*.example.com', 'https://example.com', false],
    ['example.com:6443', 'https://example.com:6443', true],
    ['example.com:6443', 'https://example.com', false],
    [' none , EXAMPLE.com ,, ', 'https://example.com', true],
    [':6443', 'https://example.com:6443', false],
  ])('with the exceptions "%s": %s is reached without it: %s', (exceptions, url, isDirect) => {
    const expected = isDirect ? undefined : PROXY;
    expect(proxyFor(url, { HTTPS_PROXY: PROXY, NO_PROXY: exceptions })).toBe(expected);
    expect(proxyFor(url, { HTTPS_PROXY: PROXY, no_proxy: exceptions })).toBe(expected);
  });
});
