import type { ServerResponse } from 'node:http';
import { noopLogger } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createFakeDocker } from '../test-support/fake-docker.ts';
import { pullImage, registryAuth } from './pull-image.ts';
import { createPulls } from './pulls.ts';

const auth = { username: '', password: '', auth: '', serverAddress: '', identityToken: '', registryToken: '' };
const decoded = (header: Record<string, string>): unknown =>
  JSON.parse(Buffer.from(header['X-Registry-Auth']!, 'base64url').toString());

describe('pullImage', () => {
  const clock = createVirtualClock();
  const options = { clock, logger: noopLogger, progressDeadlineMs: 60_000, pulls: createPulls() };

  it('names repository and tag, and follows the progress to its end', async () => {
    await using docker = await createFakeDocker(
      () => (response) => void response.end('{"status":"a"}\n{"status":"b"}\n'),
    );
    await pullImage(docker.engine, 'busybox:1', { ...auth, username: 'u', password: 'p' }, options);
    expect(docker.requests).toEqual(['POST /images/create?fromImage=docker.io%2Flibrary%2Fbusybox&tag=1']);
    expect(decoded({ 'X-Registry-Auth': docker.headers()['x-registry-auth'] as string })).toMatchObject({
      username: 'u',
    });
  });

  it('reports the progress of the pull until its end', async () => {
    const sent = Promise.withResolvers<ServerResponse>();
    await using docker = await createFakeDocker(() => (response) => {
      response.write('{"status":"Downloading","id":"a","progressDetail":{"current":1,"total":4}}\n');
      sent.resolve(response);
    });
    const pulls = createPulls();
    const read = (image: string) => pulls.source.open().read([{ image, startedMs: 0 }], new AbortController().signal);
    const pull = pullImage(docker.engine, 'busybox:1', undefined, { ...options, pulls });
    await expect.poll(() => read('busybox:1')).toEqual([{ step: 'downloading', currentBytes: 1, totalBytes: 4 }]);
    expect(await read('busybox:2')).toEqual([undefined]);
    (await sent.promise).end();
    await pull;
    expect(await read('busybox:1')).toEqual([undefined]);
  });

  it.each([
    ['{"error":"manifest unknown"}', StatusCode.NotFound],
    ['{"error":"unauthorized: authentication required"}', StatusCode.PermissionDenied],
    ['{"error":"no basic auth credentials"}', StatusCode.PermissionDenied],
    ['{"error":"disk full"}', StatusCode.Unknown],
  ])('fails in the middle with %s', async (line, code) => {
    await using docker = await createFakeDocker(() => (response) => void response.end(`{"status":"a"}\n${line}\n`));
    await expect(pullImage(docker.engine, 'a/b', undefined, options)).rejects.toMatchObject({ code });
  });

  it('ends a pull that makes no progress', async () => {
    await using docker = await createFakeDocker(() => (response) => void response.write('{"status":"a"}\n'), clock);
    const pull = pullImage(docker.engine, 'a/b', undefined, options).catch((error: Error) => error.message);
    await expect.poll(() => docker.requests.length).toBe(1);
    let outcome: string | undefined | void;
    void pull.then((message) => (outcome = message));
    await expect
      .poll(() => clock.advance(60_000).then(() => outcome))
      .toBe('failed to pull image "a/b": no progress within 60000 ms');
  });
});

describe('registryAuth', () => {
  it('takes a user and a password from either form', () => {
    expect(registryAuth(undefined)).toEqual({});
    const basic = Buffer.from('user:pass:word').toString('base64');
    expect(decoded(registryAuth({ ...auth, auth: basic, serverAddress: 'r.io' }))).toEqual({
      username: 'user',
      password: 'pass:word',
      serveraddress: 'r.io',
    });
    // Docker requires the padding.
    expect(registryAuth({ ...auth, auth: basic })['X-Registry-Auth']!.length % 4).toBe(0);
    expect(decoded(registryAuth({ ...auth, identityToken: 't' }))).toMatchObject({ identitytoken: 't' });
    expect(() => registryAuth({ ...auth, auth: 'bm9jb2xvbg==' })).toThrow('have no colon');
  });
});
