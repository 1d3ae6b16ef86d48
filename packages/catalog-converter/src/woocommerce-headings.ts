/** Columns in the sequence of {@link HEADINGS}; `#` stands for a number. The last one exists in English only. */
const COLUMNS =
  'id type sku name published featured visibility summary description saleStarts saleEnds quantity salePrice price ' +
  'categories images parent attribute#name attribute#value brands';

// WooCommerce names the columns in the exporting user's language. These are its headings as of version 7.6: English, German,
// Spanish, French, Italian, Dutch, Polish, Portuguese (Brazil and Portugal), Swedish, Turkish, Russian, Japanese.
const HEADINGS = [
  `ID | Type | SKU | Name | Published | Is featured? | Visibility in catalog | Short description | Description |
   Date sale price starts | Date sale price ends | Stock | Sale price | Regular price | Categories | Images | Parent |
   Attribute # name | Attribute # value(s) | Brands`,
  `ID | Typ | Artikelnummer | Name | Veröffentlicht | Ist hervorgehoben? | Sichtbarkeit im Katalog | Kurzbeschreibung |
   Beschreibung | Datum, an dem Angebotspreis beginnt | Datum, an dem Angebotspreis endet | Lager | Angebotspreis |
   Regulärer Preis | Kategorien | Bilder | Übergeordnetes Produkt | Attribut # Name | Attribut # Wert(e)`,
  `ID | Tipo | SKU | Nombre | Publicado | ¿Está destacado? | Visibilidad en el catálogo | Descripción corta |
   Descripción | Día en que empieza el precio rebajado | Día en que termina el precio rebajado | Inventario |
   Precio rebajado | Precio normal | Categorías | Imágenes | Superior | Nombre del atributo # |
   Valor(es) del atributo #`,
  `ID | Type | UGS | Nom | Publié | Mis en avant ? | Visibilité dans le catalogue | Description courte | Description |
   Date de début de promo | Date de fin de promo | Stock | Tarif promo | Tarif régulier | Catégories | Images |
   Parent | Nom de l’attribut # | Valeur(s) de l’attribut #`,
  `ID | Tipo | COD | Nome | Pubblicato | In primo piano? | Visibilità nel catalogo | Breve descrizione | Descrizione |
   Data di partenza del prezzo in saldo | Data in cui termina l'offerta | Magazzino | Prezzo in offerta |
   Prezzo di listino | Categorie | Immagine | Genitore | Attributo # nome | Attributo # valuta(e)`,
  `ID | Type | Artikelnummer | Naam | Gepubliceerd | Uitgelicht? | Zichtbaarheid in catalogus | Korte omschrijving |
   Beschrijving | Startdatum actieprijs | Einddatum actieprijs | Voorraad | Actieprijs | Reguliere prijs |
   Categorieën | Afbeeldingen | Hoofd | Naam eigenschap # | Waarde eigenschap #`,
  `ID | Typ | SKU | Nazwa | Opublikowano | Wyróżniony produkt? | Widoczność w katalogu | Krótki opis | Opis |
   Data rozpoczęcia promocji | Data zakończenia promocji | Stan magazynowy | Cena promocyjna | Cena | Kategorie |
   Obrazki | Element nadrzędny | Nazwa atrybutu # | Wartości atrybutu #`,
  `ID | Tipo | SKU | Nome | Publicado | Em destaque? | Visibilidade no catálogo | Descrição curta | Descrição |
   Data de preço promocional começa em | Data de preço promocional termina em | Estoque | Preço promocional | Preço |
   Categorias | Imagens | Ascendente | Nome do atributo # | Valores do atributo #`,
  `ID | Tipo | REF | Nome | Publicado | Em destaque? | Visibilidade no catálogo | Descrição breve | Descrição |
   Data de início do preço promocional | Data de término do preço promocional | Stock | Preço promocional |
   Preço normal | Categorias | Imagens | Pai | Atributo # nome | Atributo # valor(es)`,
  `ID | Typ | Artikelnummer | Namn | Publicerad | Är utvald? | Synlighet i katalog | Kort beskrivning | Beskrivning |
   Datum när reapriset börjar | Datum när reapriset upphör | Lager | Reapris | Ordinarie pris | Kategorier | Bilder |
   Överordnad | Attribut # namn | Attribut # värde(n)`,
  `Kimlik | Tür | Stok kodu (SKU) | İsim | Yayımlanmış | Öne çıkan? | Katalogda görünürlük | Kısa açıklama | Açıklama |
   İndirimli fiyatın başladığı tarih | İndirimli fiyatın bittiği tarih | Stok | İndirimli satış fiyatı |
   Normal fiyat | Kategoriler | Görseller | Ebeveyn | Nitelik # ismi | Nitelik # değer(ler)i`,
  `ID | Тип | Артикул | Имя | Опубликован | Рекомендуемый? | Видимость в каталоге | Краткое описание | Описание |
   Дата начала действия скидки | Дата окончания действия скидки | Запасы | Акционная цена | Базовая цена |
   Категории | Изображения | Родительский | Название атрибута # | Значения атрибутов #`,
  `ID | タイプ | SKU | 名前 | 公開済み | オススメですか ? | カタログでの表示 | 簡単な説明 | 説明 | セール価格の開始日 | セール価格の終了日 | 在庫 | セール価格 | 標準価格 | カテゴリー |
   画像 | 親 | 属性 # の名前 | 属性 # の値`,
].map((headings) => headings.split('|').map(plainHeading));

/** Normalises a heading: ignores letter case and the width of blanks. */
export function plainHeading(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Maps headings to columns, with `#` for the number of an attribute. */
export const COLUMN_OF: ReadonlyMap<string, string> = new Map(
  COLUMNS.split(' ').flatMap((column, index) =>
    HEADINGS.map((headings) => [headings[index] ?? column, column] as const),
  ),
);
