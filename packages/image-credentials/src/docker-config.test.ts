import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { DockerConfigError, parseDockercfg, parseDockerConfigJson } from './docker-config.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const plain = (entries: ReturnType<typeof parseDockercfg>) =>
  entries.map(({ registry, credential: { username, password } }) => [registry, username, password]);

describe('a docker config', () => {
  it.each<[what: string, entry: unknown, username: string, password: string]>([
    ['a user and a password', { username: 'u', password: 'p', email: 'e' }, 'u', 'p'],
    ['auth', { auth: base64('u:p') }, 'u', 'p'],
    ['auth before the rest', { username: 'x', password: 'y', auth: base64('u:p') }, 'u', 'p'],
    ['an empty auth', { username: 'u', password: 'p', auth: '' }, 'u', 'p'],
    ['a password with colons', { auth: base64('u:p:q:') }, 'u', 'p:q:'],
    ['an empty password', { auth: base64('u:') }, 'u', ''],
    ['trailing NULs', { auth: base64('u:p\0q\0\0') }, 'u', 'p\0q'],
    ['no padding', { auth: base64('u:pp').replaceAll('=', '') }, 'u', 'pp'],
    [
      'line breaks',
      { auth: ` ${base64('user:password').slice(0, 4)}\r\n${base64('user:password').slice(4)}\n` },
      'user',
      'password',
    ],
    ['letters beyond ASCII', { auth: base64('ü:пароль') }, 'ü', 'пароль'],
    ['tokens, which a kubelet does not read', { identitytoken: 't', registrytoken: 't' }, '', ''],
    ['names in another case', { Username: 'u', PASSWORD: 'p' }, 'u', 'p'],
    ['null', null, '', ''],
  ])('with %s', (_, entry, username, password) => {
    expect(plain(parseDockercfg(JSON.stringify({ 'r.io': entry })))).toEqual([['r.io', username, password]]);
    expect(plain(parseDockerConfigJson(JSON.stringify({ auths: { 'r.io': entry } })))).toEqual([
      ['r.io', username, password],
    ]);
  });

  it('may hold nothing, and other things', () => {
    expect(parseDockerConfigJson('{}')).toEqual([]);
    expect(parseDockerConfigJson('null')).toEqual([]);
    expect(parseDockerConfigJson('{"auths": null, "credsStore": "x", "HttpHeaders": {"a": "b"}}')).toEqual([]);
    expect(parseDockercfg('{}')).toEqual([]);
  });

  it('may have a registry of any name', () => {
    const text = `{"auths": {"__proto__": {"auth": "${base64('u:p')}"}}}`;
    expect(plain(parseDockerConfigJson(text))).toEqual([['__proto__', 'u', 'p']]);
  });

  it.each<[text: string, message: RegExp]>([
    ['', /^not valid JSON$/],
    ['{"auths": {"r.io": {"password": "CANARY"}', /^not valid JSON at character \d+$/],
    ['CANARY', /^not valid JSON/],
    ['"CANARY"', /^it must be a JSON object$/],
    ['["CANARY"]', /^it must be a JSON object$/],
    ['{"auths": ["CANARY"]}', /^auths must be an object/],
    ['{"auths": {"r.io": "CANARY"}}', /^the entry for "r.io": it must be an object$/],
    ['{"auths": {"r.io": {"password": {"CANARY": 1}}}}', /^the entry for "r.io": its password must be a string$/],
    ['{"auths": {"r.io": {"auth": "CANARY!"}}}', /^the entry for "r.io": its auth is not valid base64$/],
    ['{"auths": {"r.io": {"auth": "CANARY="}}}', /^the entry for "r.io": its auth is not valid base64$/],
    ['{"auths": {"r.io": {"auth": "CANAR"}}}', /^the entry for "r.io": its auth is not valid base64$/],
    [`{"auths": {"r.io": {"auth": "${base64('CANARY')}"}}}`, /its auth must be base64 of username:password$/],
    ['{"auths": {"https://me:CANARY@r.io/a@b": 1}}', /^the entry for "https:\/\/r.io\/a@b"/],
    ['{"auths": {"me:CANARY@r.io": 1}}', /^the entry for "r.io"/],
  ])('%s is rejected without its content in the message', (text, message) => {
    const refusal = (): unknown => parseDockerConfigJson(text);
    expect(refusal).toThrow(DockerConfigError);
    expect(refusal).toThrow(message);
    try {
      refusal();
    } catch (error) {
      expect(inspect(error, { showHidden: true, depth: null })).not.toMatch(/CANARY|Q0FOQVJZ/);
    }
  });

  it.each([
    ['padding', `${'='.repeat(600_000)}x`],
    ['NULs', base64(`u:${'\0'.repeat(600_000)}x`)],
  ])('takes time linear in %s in the middle: authors of pods choose the text', (_, auth) => {
    try {
      parseDockerConfigJson(JSON.stringify({ auths: { 'r.io': { auth } } }));
    } catch (error) {
      expect(error).toBeInstanceOf(DockerConfigError);
    }
  });
});
