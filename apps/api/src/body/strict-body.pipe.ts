import { BadRequestException, Injectable, type ArgumentMetadata } from '@nestjs/common';
import { BodyPipe, MAX_FAULTS } from './body.pipe.js';

/**
 * Like {@link BodyPipe}, and refuses fields that the class does not declare. For bodies in which an absent field has a
 * meaning of its own: `lines` in the place of `items` would ship everything. The body may be absent.
 */
@Injectable()
export class StrictBodyPipe extends BodyPipe {
  override transform(body: unknown, metadata: ArgumentMetadata): object {
    const sent = body === undefined ? {} : body;
    const read = super.transform(sent, metadata);
    const unknown = unknownFields(sent as object, read, '');
    if (unknown.length > 0) {
      const named = unknown.slice(0, MAX_FAULTS).map((path) => `${path} is not a field of this request`);
      throw new BadRequestException(named.join('; '));
    }
    return read;
  }
}

/** The class transformer sets every declared field, also an absent one. */
function unknownFields(sent: object, read: object, path: string): string[] {
  const fields = new Map(Object.entries(read));
  return Object.entries(sent).flatMap(([name, value]: [string, unknown]) => {
    if (!fields.has(name)) return [`${path}${name}`];
    const known: unknown = fields.get(name);
    if (!Array.isArray(value) || !Array.isArray(known)) return [];
    return value.flatMap((entry: object, index) =>
      unknownFields(entry, known[index] as object, `${path}${name}[${index}].`),
    );
  });
}
