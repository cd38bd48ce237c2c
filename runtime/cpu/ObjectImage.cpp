//===- ObjectImage.cpp - A relocatable object in memory --------------------===//
#include "runtime/cpu/ObjectImage.h"

#if defined(__linux__) && defined(__x86_64__)
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace tile::runtime::cpu {

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

namespace {
/// Reads parts of a file that may be damaged.
struct File {
  const uint8_t *data;
  size_t size;

  bool contains(uint64_t offset, uint64_t length) const {
    return offset <= size && length <= size - offset;
  }
  template <typename T> bool read(uint64_t offset, T &value) const {
    if (!contains(offset, sizeof(T)))
      return false;
    std::memcpy(&value, data + offset, sizeof(T));
    return true;
  }
  /// A string that ends within its table; empty where there is none.
  std::string_view readString(const Elf64_Shdr &table, uint64_t at) const {
    if (!contains(table.sh_offset, table.sh_size) || at >= table.sh_size)
      return {};
    auto *text = reinterpret_cast<const char *>(data + table.sh_offset + at);
    return {text, strnlen(text, table.sh_size - at)};
  }
};

/// Memory by what may be done with it. The pages of each are protected alike.
enum Kind { Code, Constants, Variables, NumKinds };

/// `jmp *slot(%rip)`: calls of functions that are too far away.
constexpr size_t stubBytes = 8, slotBytes = 8;
} // namespace

bool ObjectImage::isObject(const void *data, size_t size) {
  Elf64_Ehdr header;
  if (!File{static_cast<const uint8_t *>(data), size}.read(0, header))
    return false;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_REL;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

class ObjectLoader {
public:
  ObjectLoader(const void *data, size_t size, std::string &error)
      : file{static_cast<const uint8_t *>(data), size}, error(error) {}

  std::unique_ptr<ObjectImage> run() {
    if (!readTables() || !placeSections() || !copySections() || !resolveSymbols() || !relocate() ||
        !protect())
      return nullptr;
    return std::move(image);
  }

private:
  bool fail(const std::string &message) {
    error = message;
    return false;
  }
  bool isLoaded(size_t section) const { return section < places.size() && places[section]; }

  bool readTables();
  bool placeSections();
  bool copySections();
  bool resolveSymbols();
  bool relocate();
  bool relocateSection(const Elf64_Shdr &table);
  bool apply(const Elf64_Rela &entry, uint8_t *place);
  bool protect();

  uint8_t *getSlot(size_t symbol) const { return image->memory + slots + symbol * slotBytes; }
  uint8_t *getStub(size_t symbol) const { return image->memory + stubs + symbol * stubBytes; }

  File file;
  std::string &error;
  std::unique_ptr<ObjectImage> image{new ObjectImage()};
  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;
  std::vector<uint64_t> offsets;  ///< of sections in the image
  std::vector<uint8_t *> places;  ///< of sections; null: not loaded
  std::vector<uint8_t *> targets; ///< of symbols
  Elf64_Shdr names{}, symbolNames{};
  uint64_t stubs = 0, slots = 0, ends[NumKinds] = {};
};

bool ObjectLoader::readTables() {
  Elf64_Ehdr header;
  if (!file.read(0, header) || header.e_machine != EM_X86_64 ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return fail("not an object for x86-64");
  sections.resize(header.e_shnum);
  for (size_t i = 0; i < sections.size(); ++i)
    if (!file.read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i]))
      return fail("the object ends within its table of sections");
  if (header.e_shstrndx >= sections.size())
    return fail("the object has no names of sections");
  names = sections[header.e_shstrndx];
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size())
      continue;
    if (!file.contains(section.sh_offset, section.sh_size))
      return fail("the object ends within its table of symbols");
    symbolNames = sections[section.sh_link];
    symbols.resize(section.sh_size / sizeof(Elf64_Sym));
    std::memcpy(symbols.data(), file.data + section.sh_offset, symbols.size() * sizeof(Elf64_Sym));
  }
  return true;
}

static Kind getKind(const Elf64_Shdr &section) {
  return section.sh_flags & SHF_EXECINSTR ? Code
         : section.sh_flags & SHF_WRITE   ? Variables
                                          : Constants;
}

bool ObjectLoader::placeSections() {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  auto align = [](uint64_t offset, uint64_t to) { return (offset + to - 1) / to * to; };
  offsets.resize(sections.size());
  places.resize(sections.size());
  uint64_t end = 0;
  for (int kind = Code; kind < NumKinds; ++kind) {
    end = align(end, page);
    for (size_t i = 0; i < sections.size(); ++i) {
      const Elf64_Shdr &section = sections[i];
      // Nothing is thrown through kernels.
      bool isNeeded = (section.sh_flags & SHF_ALLOC) && section.sh_size != 0 &&
                      file.readString(names, section.sh_name) != ".eh_frame";
      if (!isNeeded || getKind(section) != kind)
        continue;
      constexpr uint64_t mostAlignment = 4096, mostBytes = uint64_t(1) << 30;
      if (section.sh_addralign > mostAlignment || section.sh_size > mostBytes)
        return fail("the object has a section of an impossible size");
      offsets[i] = align(end, std::max<uint64_t>(section.sh_addralign, 1));
      end = offsets[i] + section.sh_size;
      places[i] = reinterpret_cast<uint8_t *>(1); // until the image has an address
    }
    if (kind == Code) {
      stubs = align(end, stubBytes);
      end = stubs + symbols.size() * stubBytes;
    } else if (kind == Constants) {
      slots = align(end, slotBytes);
      end = slots + symbols.size() * slotBytes;
    }
    ends[kind] = end;
  }
  image->size = align(std::max<uint64_t>(end, 1), page);
  void *memory =
      mmap(nullptr, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return fail(std::string("no memory: ") + std::strerror(errno));
  image->memory = static_cast<uint8_t *>(memory);
  return true;
}

bool ObjectLoader::copySections() {
  for (size_t i = 0; i < sections.size(); ++i) {
    if (!places[i])
      continue;
    places[i] = image->memory + offsets[i];
    if (sections[i].sh_type == SHT_NOBITS)
      continue; // fresh memory is zero
    if (!file.contains(sections[i].sh_offset, sections[i].sh_size))
      return fail("the object ends within a section");
    std::memcpy(places[i], file.data + sections[i].sh_offset, sections[i].sh_size);
  }
  return true;
}

bool ObjectLoader::resolveSymbols() {
  targets.resize(symbols.size());
  for (size_t i = 1; i < symbols.size(); ++i) {
    const Elf64_Sym &symbol = symbols[i];
    std::string name(file.readString(symbolNames, symbol.st_name));
    int binding = ELF64_ST_BIND(symbol.st_info);
    if (isLoaded(symbol.st_shndx)) {
      if (symbol.st_value > sections[symbol.st_shndx].sh_size)
        return fail("the object has a symbol outside of its section");
      targets[i] = places[symbol.st_shndx] + symbol.st_value;
      if (binding != STB_LOCAL)
        image->symbols[name] = targets[i];
    } else if (symbol.st_shndx == SHN_UNDEF && !name.empty()) {
      targets[i] = static_cast<uint8_t *>(dlsym(RTLD_DEFAULT, name.c_str()));
      if (!targets[i] && binding != STB_WEAK)
        return fail("it needs '" + name + "', which no library here has");
    }
    std::memcpy(getSlot(i), &targets[i], slotBytes);
    uint8_t *stub = getStub(i);
    int32_t distance = static_cast<int32_t>(getSlot(i) - (stub + 6));
    stub[0] = 0xff;
    stub[1] = 0x25;
    std::memcpy(stub + 2, &distance, sizeof(distance));
  }
  return true;
}

bool ObjectLoader::relocate() {
  for (const Elf64_Shdr &section : sections)
    if (section.sh_type == SHT_RELA && isLoaded(section.sh_info) && !relocateSection(section))
      return false;
  return true;
}

bool ObjectLoader::relocateSection(const Elf64_Shdr &table) {
  const Elf64_Shdr &section = sections[table.sh_info];
  for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.sh_size; at += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    if (!file.read(table.sh_offset + at, entry) || ELF64_R_SYM(entry.r_info) >= symbols.size())
      return fail("the object has a damaged relocation");
    uint64_t width = ELF64_R_TYPE(entry.r_info) == R_X86_64_64 ? 8 : 4;
    if (section.sh_size < width || entry.r_offset > section.sh_size - width)
      return fail("the object has a relocation outside of its section");
    if (!apply(entry, places[table.sh_info] + entry.r_offset))
      return false;
  }
  return true;
}

bool ObjectLoader::apply(const Elf64_Rela &entry, uint8_t *place) {
  size_t symbol = ELF64_R_SYM(entry.r_info);
  uint8_t *target = targets[symbol];
  bool isFar = symbols[symbol].st_shndx == SHN_UNDEF;
  switch (ELF64_R_TYPE(entry.r_info)) {
  case R_X86_64_64: {
    uint8_t *value = target + entry.r_addend;
    std::memcpy(place, &value, sizeof(value));
    return true;
  }
  case R_X86_64_PLT32:
    target = isFar ? getStub(symbol) : target;
    break;
  case R_X86_64_PC32:
    break;
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    target = getSlot(symbol);
    break;
  default:
    return fail("it has a relocation of type " + std::to_string(ELF64_R_TYPE(entry.r_info)));
  }
  int64_t distance = target + entry.r_addend - place;
  auto narrow = static_cast<int32_t>(distance);
  if (narrow != distance)
    return fail("it refers to something too far away");
  std::memcpy(place, &narrow, sizeof(narrow));
  return true;
}

bool ObjectLoader::protect() {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t begin = 0;
  for (auto [kind, protection] :
       {std::pair(Code, PROT_READ | PROT_EXEC), std::pair(Constants, PROT_READ)}) {
    uint64_t end = (ends[kind] + page - 1) / page * page;
    if (end > begin && mprotect(image->memory + begin, end - begin, protection) != 0)
      return fail(std::string("memory cannot be protected: ") + std::strerror(errno));
    begin = end;
  }
  return true;
}

std::unique_ptr<ObjectImage> ObjectImage::load(const void *data, size_t size, std::string &error) {
  return ObjectLoader(data, size, error).run();
}

ObjectImage::~ObjectImage() {
  if (memory)
    munmap(memory, size);
}

#else

namespace tile::runtime::cpu {

bool ObjectImage::isObject(const void *, size_t) { return false; }
std::unique_ptr<ObjectImage> ObjectImage::load(const void *, size_t, std::string &error) {
  error = "objects are loaded on x86-64 Linux only";
  return nullptr;
}
ObjectImage::~ObjectImage() = default;

#endif

void *ObjectImage::find(const char *symbol) const {
  auto found = symbols.find(std::string_view(symbol));
  return found == symbols.end() ? nullptr : found->second;
}

} // namespace tile::runtime::cpu
