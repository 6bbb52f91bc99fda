import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PullCredential, RegistryAuth } from '@rxlet/agent-api/images';
import { combinePullErrors } from './pull-failure.ts';
import { redactCredentials } from './redact-credentials.ts';
import { ServiceError, StatusCode } from '@rxlet/cri-api';

const credential = (auth: Partial<RegistryAuth>): PullCredential => ({
  auth: { username: '', password: '', auth: '', serverAddress: '', identityToken: '', registryToken: '', ...auth },
  origin: { kind: 'node' },
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');

afterEach(() => vi.restoreAllMocks());

describe('redactCredentials', () => {
  it.each<[string, Partial<RegistryAuth>]>([
    ['s3cr3t&more', { username: 'me', password: 's3cr3t&more' }],
    [encodeURIComponent('s3cr3t&more'), { username: 'me', password: 's3cr3t&more' }],
    [base64('me:s3cr3t&more'), { username: 'me', password: 's3cr3t&more' }],
    ['s3cr3t', { auth: base64('me:s3cr3t') }],
    [base64('me:s3cr3t'), { auth: base64('me:s3cr3t') }],
    ['tok-en', { identityToken: 'tok-en' }],
    ['tok-en', { registryToken: 'tok-en' }],
    ['longer-s3cr3t', { password: 'longer-s3cr3t', registryToken: 's3cr3t' }],
  ])('removes %s', (secret, auth) => {
    const text = `401 for me with ${secret}: no`;
    expect(redactCredentials(text, [credential(auth)])).toBe('401 for me with [redacted]: no');
  });

  it('removes a secret with half of a surrogate pair', () => {
    expect(redactCredentials('no s3cr3t\ud800', [credential({ password: 's3cr3t\ud800' })])).toBe('no [redacted]');
  });

  it('leaves a text without secrets alone', () => {
    const nothing = credential({ username: 'me', password: 'no' });
    expect(redactCredentials('nothing to see', [nothing, credential({})])).toBe('nothing to see');
  });
});

describe('combinePullErrors', () => {
  const error = (text: string) => new ServiceError(StatusCode.NotFound, text);
  it('shows 20 of the failures of very many credentials, and looks for the secrets in those alone', () => {
    const many = Array.from({ length: 300 }, (_, index) => credential({ password: `password ${String(index)}` }));
    const replaced = vi.spyOn(String.prototype, 'replaceAll');
    const errors = many.map((_, index) => error(`failure ${String(index)} of password ${String(index)}`));
    const { message } = combinePullErrors(errors, many);
    expect(replaced.mock.calls.length).toBeLessThan(50_000);
    expect(message.split(', ')).toHaveLength(21);
    expect(message).toMatch(/failure 19 of \[redacted\], and 280 more\]$/);
    replaced.mockClear();
    expect(
      combinePullErrors(
        many.map(() => error('gone')),
        many,
      ).message,
    ).toBe('gone');
    expect(replaced.mock.calls.length).toBeLessThan(5_000);
  });

  it('reports equal failures once and keeps their code', () => {
    const combined = combinePullErrors([error('gone'), error('gone')], []);
    expect(combined).toMatchObject({ code: StatusCode.NotFound, message: 'gone' });
  });

  it('lists different ones, without secrets in message or cause', () => {
    const secret = credential({ password: 's3cr3t' });
    const combined = combinePullErrors([error('s3cr3t is wrong'), new Error('no')], [secret]);
    expect(combined.message).toBe('[rpc error: code = NotFound desc = [redacted] is wrong, no]');
    expect(combined.cause).toBeUndefined();
  });
});
