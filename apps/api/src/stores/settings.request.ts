import type { SettingsChange, SettingsRecord } from '@app/application';
import { checkSettings, SETTINGS } from '@app/bundles';
import { BadRequestException } from '@nestjs/common';
import { unknownField } from '../body/body.pipe.js';
import { isJsonObject } from '../body/fields.js';
import { InvalidFields, shortName, type Fault } from '../errors/invalid-fields.js';

/** @throws InvalidFields */
export function readSettingsChange(body: unknown): Omit<SettingsChange, 'origin'> {
  if (body === undefined) throw new BadRequestException('Request body is empty');
  if (!isJsonObject(body)) throw new BadRequestException('The request body must be a JSON object');
  const { expected, ...given } = body;
  const { settings, faults } = checkSettings(given);
  const all = [
    ...faults.map(({ path, problem }) => ({ path, message: problem })),
    ...unknownIn(given, ''),
    ...faultsOfExpected(expected),
  ];
  if (all.length > 0) throw new InvalidFields(all);
  return { settings, expected: (expected ?? {}) as SettingsRecord };
}

function faultsOfExpected(expected: unknown): readonly Fault[] {
  if (expected === undefined || expected === null) return [];
  return isJsonObject(expected)
    ? unknownIn(expected, 'expected.')
    : [{ path: 'expected', message: 'must be an object' }];
}

function unknownIn(settings: object, path: string): readonly Fault[] {
  const unknown = Object.keys(settings).filter((name) => !Object.hasOwn(SETTINGS.properties, name));
  return unknown.map((name) => unknownField(path + shortName(name)));
}
