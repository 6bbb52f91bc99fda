import { expect, it } from 'vitest';
import { formatShutdownState, parseShutdownState, type ShutdownState } from './shutdown-state.ts';

const state: ShutdownState = {
  startMs: 1_700_000_000_000,
  endMs: undefined,
  bootId: 'boot-1',
  group: { index: 1, startMs: 1_700_000_020_000 },
  terminating: ['a', 'b'],
};

it('reads a state as it was written', () => {
  for (const one of [state, { ...state, endMs: 1_700_000_030_000, group: undefined }])
    expect(parseShutdownState(formatShutdownState(one))).toEqual(one);
});

it('writes the times of a kubelet', () => {
  expect(JSON.parse(formatShutdownState(state))).toMatchObject({
    startTime: '2023-11-14T22:13:20.000Z',
    endTime: '0001-01-01T00:00:00Z',
  });
});

it('reads the file of a kubelet', () => {
  const text = '{"startTime":"2023-11-14T22:13:20.123456789Z","endTime":"2023-11-14T22:13:50.5+00:00"}';
  expect(parseShutdownState(text)).toMatchObject({
    startMs: 1_700_000_000_123,
    endMs: 1_700_000_030_500,
    bootId: undefined,
    terminating: [],
  });
  const never = '{"startTime":"0001-01-01T00:00:00Z","endTime":"0001-01-01T00:00:00Z"}';
  expect(parseShutdownState(never)).toBeUndefined();
});

it.each(['', '[1', 'null', '{"startTime":5}', '{"startTime":"soon"}'])('rejects the text %j', (text) => {
  expect(() => parseShutdownState(text)).toThrow();
});

it('ignores a group that makes no sense', () => {
  const text = formatShutdownState({ ...state, group: { index: -1, startMs: 0 } });
  expect(parseShutdownState(text)?.group).toBeUndefined();
});
