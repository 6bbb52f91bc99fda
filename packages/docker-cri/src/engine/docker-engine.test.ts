import { noopLogger, seededRandom } from '@rxlet/component-base';
import { StatusCode } from '@rxlet/cri-api';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createFakeDocker } from '../test-support/fake-docker.ts';
import { createContainerCreator } from './create-container.ts';
import { negotiateVersion } from './docker-version.ts';

const body = { Image: 'x', Labels: {}, HostConfig: {} };

describe('the client of Docker', () => {
  it.each([
    [400, StatusCode.InvalidArgument],
    [404, StatusCode.NotFound],
    [409, StatusCode.FailedPrecondition],
    [500, StatusCode.Unknown],
  ])('maps status %i', async (status, code) => {
    await using docker = await createFakeDocker(() => [status, { message: 'why' }]);
    await expect(docker.engine.json('GET', '/info')).rejects.toMatchObject({
      code,
      message: 'why',
      httpStatus: status,
    });
  });

  it('reports a broken connection as Unavailable', async () => {
    await using docker = await createFakeDocker(() => (response) => void response.destroy());
    await expect(docker.engine.json('GET', '/info')).rejects.toMatchObject({ code: StatusCode.Unavailable });
  });

  it('ends a call without an answer at its deadline', async () => {
    const clock = createVirtualClock();
    await using docker = await createFakeDocker(() => () => undefined, clock);
    const call = docker.engine.json('GET', '/info', { timeoutMs: 1000 });
    await expect.poll(() => docker.requests).toEqual(['GET /info']);
    await Promise.all([expect(call).rejects.toThrow('no answer within 1000 ms'), clock.advance(1000)]);
  });
});

describe('negotiateVersion', () => {
  it.each([
    ['1.41', '1.12', '1.41'],
    ['1.47', '1.24', '1.47'],
    ['1.60', '1.44', '1.52'],
  ])('negotiates %s down to %s as %s', (ApiVersion, MinAPIVersion, version) => {
    expect(negotiateVersion({ Version: 'x', ApiVersion, MinAPIVersion })).toBe(version);
  });

  it.each([
    ['1.40', '1.12'],
    ['1.70', '1.60'],
  ])('rejects a daemon from %s back to %s', (ApiVersion, MinAPIVersion) => {
    expect(() => negotiateVersion({ Version: 'x', ApiVersion, MinAPIVersion })).toThrow('1.41 to 1.52 are supported');
  });
});

describe('a container name that is in use', () => {
  const conflict = [409, { message: 'in use' }] as const;
  const creator = ({ engine }: Awaited<ReturnType<typeof createFakeDocker>>) =>
    createContainerCreator(engine, seededRandom(1), noopLogger);

  it('is left to its owner', async () => {
    await using docker = await createFakeDocker((request) =>
      request.startsWith('POST') ? conflict : [200, { Id: 'old', State: { Status: 'created' } }],
    );
    await expect(creator(docker).create('n', body)).rejects.toMatchObject({ code: StatusCode.AlreadyExists });
    expect(docker.requests).toEqual(['POST /containers/create?name=n', 'GET /containers/n/json']);
  });

  it('is freed from a container that Docker has failed to remove', async () => {
    let creations = 0;
    await using docker = await createFakeDocker((request) => {
      if (request.startsWith('POST')) return (creations += 1) === 1 ? conflict : [201, { Id: 'new' }];
      return [200, { Id: 'old', State: { Status: 'dead' } }];
    });
    expect(await creator(docker).create('n', body)).toBe('new');
    expect(docker.requests[2]).toBe('DELETE /containers/old?force=true&v=true');
  });

  it('is freed from a container whose creation had an unknown outcome', async () => {
    let creations = 0;
    await using docker = await createFakeDocker((request) => {
      if (!request.startsWith('POST')) return [200, { Id: 'old', State: { Status: 'created' } }];
      creations += 1;
      if (creations === 1) return (response) => void response.destroy();
      return creations === 2 ? conflict : [201, { Id: 'new' }];
    });
    const own = creator(docker);
    await expect(own.create('n', body)).rejects.toMatchObject({ code: StatusCode.Unavailable });
    expect(await own.create('n', body)).toBe('new');
    expect(docker.requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(1);
  });

  it('gets a suffix when no container has it', async () => {
    let creations = 0;
    await using docker = await createFakeDocker((request) => {
      if (request.startsWith('POST')) return (creations += 1) === 1 ? conflict : [201, { Id: 'new' }];
      return [404, { message: 'no such container' }];
    });
    expect(await creator(docker).create('n', body)).toBe('new');
    expect(docker.requests.at(-1)).toMatch(/name=n_[0-9a-f]{8}$/);
  });
});
