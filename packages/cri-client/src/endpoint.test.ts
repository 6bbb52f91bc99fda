import { StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { CriError } from './cri-error.ts';
import { IMAGE_ROLE, parseEndpoint } from './endpoint.ts';

function errorOf(text: string): CriError {
  try {
    parseEndpoint(text);
  } catch (error) {
    if (error instanceof CriError) return error;
  }
  throw new Error(`${text} was accepted`);
}

describe('parseEndpoint', () => {
  it('accepts unix:// with an absolute path', () => {
    expect(parseEndpoint('unix:///run/containerd/containerd.sock')).toMatchObject({
      url: 'unix:///run/containerd/containerd.sock',
      path: '/run/containerd/containerd.sock',
      deprecatedForm: false,
    });
  });

  it('accepts unix: with an absolute path, which is the same URL', () => {
    expect(parseEndpoint('unix:/run/x.sock')).toMatchObject({ url: 'unix:///run/x.sock', deprecatedForm: false });
  });

  it('accepts a bare absolute path as a deprecated form', () => {
    expect(parseEndpoint('/run/x.sock')).toMatchObject({
      url: 'unix:///run/x.sock',
      path: '/run/x.sock',
      deprecatedForm: true,
    });
  });

  it.each([
    ['', 'it has no path'],
    ['run/x.sock', 'its path is relative'],
    ['unix://run/x.sock', 'write unix:///run/x.sock'],
    ['unix:run/x.sock', 'write unix:///run/x.sock'],
    ['tcp://127.0.0.1:1234', 'tcp is not supported'],
    ['npipe:////./pipe/x', 'npipe is not supported'],
    [`unix:///${'x'.repeat(107)}`, 'at most 107 bytes'],
    ['unix://', 'it has no path'],
  ])('rejects %j: %s', (text, reason) => {
    const error = errorOf(text);
    expect(error.message).toContain(reason);
    expect(error.message).toContain(JSON.stringify(text));
    expect(error.message).toContain('--container-runtime-endpoint');
    expect(error).toMatchObject({ kind: 'invalid-endpoint', code: StatusCode.InvalidArgument, endpoint: text });
  });

  it('accepts the longest path that a socket can have', () => {
    expect(parseEndpoint(`unix:///${'x'.repeat(106)}`).path).toHaveLength(107);
  });

  it('names the flag of the image service for its endpoint', () => {
    expect(() => parseEndpoint('tcp://x', IMAGE_ROLE)).toThrow('--image-service-endpoint');
  });
});
