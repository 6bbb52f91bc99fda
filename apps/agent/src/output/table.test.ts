import { describe, expect, it } from 'vitest';
import { createTable, formatTable } from './table.ts';

describe('formatTable', () => {
  it('makes columns as wide as their widest cell, three spaces apart, without spaces at the ends', () => {
    expect(
      formatTable(
        ['NAME', 'READY', 'NOTE'],
        [
          ['web', '1/1', ''],
          ['database-0', '0/1', 'waits'],
        ],
      ),
    ).toEqual(['NAME         READY   NOTE', 'web          1/1', 'database-0   0/1     waits']);
  });

  it('keeps a row on one line', () => {
    expect(formatTable(['MESSAGE'], [['exit 1\nstack']])).toEqual(['MESSAGE', 'exit 1...']);
  });

  it('has a header even without rows', () => {
    expect(formatTable(['A', 'B'], [])).toEqual(['A   B']);
  });
});

describe('createTable', () => {
  it('goes on in the same columns, which only get wider', () => {
    const table = createTable(['NAME', 'X']);
    expect(table.format([['database', '1']])).toEqual(['NAME       X', 'database   1']);
    expect(table.format([['web', '2']])).toEqual(['web        2']);
    expect(table.format([['a-long-name', '3']])).toEqual(['a-long-name   3']);
    expect(table.format([['web', '4']])).toEqual(['web           4']);
  });
});
