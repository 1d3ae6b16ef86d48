/** Binds the code of a mail that is to be sent to its row. */
export const contextOfCode = (id: string): string => `sign_ins/${id}/mail_code`;
