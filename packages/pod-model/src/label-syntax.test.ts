import { describe, expect, it } from 'vitest';
import { labelKeyProblems } from './label-syntax.ts';

describe('labelKeyProblems', () => {
  it.each(['a', 'a.b_c-9', 'example.com/Name', `${'a'.repeat(253)}/x`])('accepts %s', (key) => {
    expect(labelKeyProblems(key)).toEqual([]);
  });

  it.each([
    ['', 'name part must be non-empty'],
    ['/a', 'prefix part must be non-empty'],
    ['a/b/c', "a valid label key must consist of alphanumeric characters, '-', '_' or '.'"],
    ['Example/a', 'prefix part a lowercase RFC 1123 subdomain must consist of lower case'],
    ['a'.repeat(64), 'name part must be no more than 63 bytes'],
    ['-a', "name part must consist of alphanumeric characters, '-', '_' or '.'"],
  ])('names the fault of %j', (key, problem) => {
    expect(labelKeyProblems(key)[0]).toContain(problem);
  });
});
