import { expect, it } from 'vitest';
import { printRuntimeVersion } from './runtime-version.ts';

it.each([
  ['1.6.20', '1.6.20'],
  ['v2.1.0-beta.0+abc', '2.1.0-beta.0+abc'],
  ['1.6.20~ds1', '1.6.20'],
  ['20.10.24+dfsg1', '20.10.24+dfsg1'],
  ['1.35', '1.35'],
  ['1.06.3', '1.6.3'],
  ['1.2.3-rc.01', '1.2.3'],
  ['1.2.3.4-x', '1.2.3.4'],
  ['2', undefined],
  ['01.2', undefined],
  ['main', undefined],
  ['', undefined],
])('prints the version of a runtime %o as %o', (text, printed) => {
  expect(printRuntimeVersion(text)).toBe(printed);
});
