import { describe, expect, it } from 'vitest';
import { emitTypes } from './emit-types.ts';
import { nameEnums } from './name-enums.ts';
import { readSchema } from './read-schema.ts';

const prefix = '#/components/schemas/';

function documentOf(schemas: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ info: { version: '1.2.3' }, components: { schemas } });
}

function documentWith(field: Readonly<Record<string, unknown>>): string {
  return documentOf({ 'io.k8s.api.core.v1.Thing': { type: 'object', properties: { field } } });
}

describe('readSchema', () => {
  it('resolves the spelling variants of OpenAPI', () => {
    const model = readSchema(
      documentOf({
        'a.v1.B': {
          type: 'object',
          required: ['plain'],
          properties: {
            wrapped: { default: {}, allOf: [{ $ref: `${prefix}a.v1.C` }] },
            plain: { type: 'array', items: { $ref: `${prefix}a.v1.C`, default: {} } },
            nested: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
          },
          'x-kubernetes-group-version-kind': [{ group: 'a', version: 'v1', kind: 'B' }],
        },
        'a.v1.C': { type: 'string', format: 'date-time' },
      }),
    );
    expect(model.version).toBe('1.2.3');
    expect(model.types).toMatchObject([
      {
        packageName: 'a.v1',
        name: 'B',
        kinds: [{ apiVersion: 'a/v1', kind: 'B' }],
        shape: {
          type: 'object',
          fields: [
            { name: 'nested', required: false, value: { type: 'map', items: { type: 'array' } } },
            { name: 'plain', required: true, value: { type: 'array', items: { type: 'ref', schemaName: 'a.v1.C' } } },
            { name: 'wrapped', required: false, value: { type: 'ref', schemaName: 'a.v1.C' } },
          ],
        },
      },
      { name: 'C', shape: { type: 'alias', value: { type: 'date-time' } } },
    ]);
  });

  it.each([
    ['an unknown keyword', { type: 'string', pattern: '.' }, /Thing\.field: no rule for the keyword pattern/],
    ['an unknown keyword of items', { type: 'array', items: { type: 'string', minLength: 1 } }, /field\[\].*minLength/],
    ['an unknown type', { type: 'null' }, /Thing\.field: no rule for/],
    ['a dangling reference', { $ref: `${prefix}io.k8s.api.core.v1.Gone` }, /Gone, which is not in the document/],
    ['several parts', { allOf: [{ type: 'string' }, { type: 'string' }] }, /Thing\.field: no rule for/],
  ])('stops at %s', (_, field, message) => {
    expect(() => readSchema(documentWith(field))).toThrow(message);
  });

  it('stops at a required field that does not exist', () => {
    const schema = { type: 'object', required: ['b'], properties: { a: { type: 'string' } } };
    expect(() => readSchema(documentOf({ 'a.v1.B': schema }))).toThrow('a.v1.B: required field b does not exist');
  });
});

describe('nameEnums', () => {
  const model = readSchema(
    documentOf({
      'a.v1.B': {
        type: 'object',
        properties: {
          one: { type: 'string', enum: ['x', 'y'] },
          many: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
          other: { type: 'string', enum: ['z'] },
        },
      },
    }),
  );

  it('joins fields with the name they share', () => {
    const named = nameEnums(model, { 'a.v1': ['Letter: B.one B.many', 'Last: B.other'] });
    expect(Object.fromEntries(named)).toEqual({
      'a.v1.B.one': { packageName: 'a.v1', name: 'Letter', values: ['x', 'y'] },
      'a.v1.B.many': { packageName: 'a.v1', name: 'Letter', values: ['x', 'y'] },
      'a.v1.B.other': { packageName: 'a.v1', name: 'Last', values: ['z'] },
    });
  });

  it.each([
    ['an enum without a name', ['Letter: B.one B.many'], 'no name for a.v1.B.other'],
    ['a name whose field is gone', ['Letter: B.one B.many B.gone'], 'a.v1.B.gone (Letter) is not an enum'],
    ['a field with two names', ['Letter: B.one', 'Again: B.one'], 'a.v1.B.one (Again) is not an enum'],
    ['fields that differ', ['Letter: B.one B.many B.other'], 'Letter differs in a.v1.B.other'],
  ])('stops at %s', (_, lines, message) => {
    expect(() => nameEnums(model, { 'a.v1': lines })).toThrow(message);
  });
});

describe('emitTypes', () => {
  it('turns descriptions into comments, which the text cannot end', () => {
    const field = { type: 'string', description: 'One line with */ in it.\n\nAnother.' };
    expect(emitTypes(readSchema(documentWith(field)), new Map()).get('core-v1.ts')).toBe(
      [
        '// Generated from Kubernetes 1.2.3 by tools/generate/kube-api; do not edit.',
        '',
        'export interface Thing {',
        '  /**',
        '   * One line with *\\/ in it.',
        '   *',
        '   * Another.',
        '   */',
        '  readonly field?: string;',
        '}',
        '',
      ].join('\n'),
    );
  });
});
