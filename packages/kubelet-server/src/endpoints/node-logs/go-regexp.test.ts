import { describe, expect, it } from 'vitest';
import { goRegexpFault } from './go-regexp.ts';

describe('goRegexpFault', () => {
  it.each([
    '',
    'plain text',
    'a|b|(c|)|',
    '^(?i)a(?-s:b)(?m-i:c)$',
    '(?P<name>a)(?<other_1>b)',
    'a*b+?c??d{2}e{2,}?f{2,3}g{0}',
    'a{,3}b{x}c{1,2,3}{',
    '[]a][^]a][a-][-a][a-z-9][[:alpha:][:^digit:]\\d\\-\\]]',
    '[[:]',
    '\\d\\D\\s\\w\\b\\B\\A\\z\\.\\_\\-\\n\\x41\\x{10ffff}\\0\\017\\12',
    '\\pL\\PL\\p{Greek}\\p{^Lu}\\p{lowercase_letter}\\p{any}\\p{GREEK}',
    '\\Q(*\\E*\\Q\\E\\Q[',
    'a*\\Q\\E*',
    'a(?i)*',
    '((a{10}){10}){10}',
    '(a{1000}){0}',
    '(?:'.repeat(1001) + 'a' + ')'.repeat(1001),
    'é😀{2}',
  ])('accepts %j', (expression) => {
    expect(goRegexpFault(expression)).toBeUndefined();
  });

  it.each([
    ['a\\', 'trailing backslash at end of expression', ''],
    ['a(b(?:c)', 'missing closing )', 'a(b(?:c)'],
    ['a)', 'unexpected )', 'a)'],
    ['x[a-', 'missing closing ]', '[a-'],
    ['*a', 'missing argument to repetition operator', '*'],
    ['a|{2}?', 'missing argument to repetition operator', '{2}?'],
    ['(?i)+', 'missing argument to repetition operator', '+'],
    ['a**', 'invalid nested repetition operator', '**'],
    ['a+?{2}?', 'invalid nested repetition operator', '+?{2}?'],
    ['a{1001}', 'invalid repeat count', '{1001}'],
    ['a{3,2}', 'invalid repeat count', '{3,2}'],
    ['((a{10}){10}){11}', 'invalid repeat count', '{11}'],
    ['a(?=b)', 'invalid or unsupported Perl syntax', '(?='],
    ['(?i-:a)', 'invalid or unsupported Perl syntax', '(?i-:'],
    ['(?--i)', 'invalid or unsupported Perl syntax', '(?--'],
    ['(?P=n)', 'invalid or unsupported Perl syntax', '(?P'],
    ['(?', 'invalid or unsupported Perl syntax', '(?'],
    ['(?<!a)', 'invalid named capture', '(?<!a)'],
    ['(?P<a-b>c)', 'invalid named capture', '(?P<a-b>'],
    ['(?P<>c)', 'invalid named capture', '(?P<>'],
    ['(a)\\1', 'invalid escape sequence', '\\1'],
    ['[\\b]', 'invalid escape sequence', '\\b'],
    ['\\Cx', 'invalid escape sequence', '\\C'],
    ['\\x4g', 'invalid escape sequence', '\\x4g'],
    ['\\x{110000}', 'invalid escape sequence', '\\x{110000'],
    ['\\x{}', 'invalid escape sequence', '\\x{}'],
    ['\\é', 'invalid escape sequence', '\\é'],
    ['[b-a]', 'invalid character class range', 'b-a'],
    ['[[:foo:]]', 'invalid character class range', '[:foo:]'],
    ['\\p{Grek}', 'invalid character class range', '\\p{Grek}'],
    ['\\p{Old_Italic}', 'invalid character class range', '\\p{Old_Italic}'],
    ['\\pX', 'invalid character class range', '\\pX'],
    ['a\\p{L', 'invalid character class range', '\\p{L'],
  ])('rejects %j', (expression, fault, part) => {
    expect(goRegexpFault(expression)).toBe(`error parsing regexp: ${fault}: \`${part}\``);
  });

  it('rejects groups that are nested too deeply', () => {
    const expression = '('.repeat(1001) + ')'.repeat(1001);
    expect(goRegexpFault(expression)).toBe(`error parsing regexp: expression nests too deeply: \`${expression}\``);
  });

  it.each(['(?:', '[[:', '\\Q\\E', '[', '(', 'a{', '\\p{L}', '(?i)'])(
    'reads long repetitions of %j in linear time',
    (part) => {
      expect(() => goRegexpFault(part.repeat(200_000))).not.toThrow();
    },
  );
});
