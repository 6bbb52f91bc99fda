import type { LogFields, Logger } from '@rxlet/component-base';
import { printable } from '../output/printable.ts';

/** A logger for a terminal on which something else is shown: only warnings and errors, a line of plain text each. */
export function createNoticeLogger(writeNotice: (line: string) => void, fields: LogFields = {}): Logger {
  const notice = (message: string, more: LogFields = {}): void => {
    const details = Object.entries({ ...fields, ...more })
      .filter(([name, value]) => value !== undefined && name !== 'reason')
      .filter(([, value]) => typeof value !== 'string' || !message.includes(value))
      .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
    writeNotice(printable([message, ...details].join(' ')));
  };
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: notice,
    error: notice,
    child: (more) => createNoticeLogger(writeNotice, { ...fields, ...more }),
  };
}
